# SPDX-License-Identifier: BSD-2-Clause
"""What the benchmarks share: networks of their own, processes, tables.

Everything happens in network namespaces without names, which vanish with the
processes that hold them. Bytes come from the counters of the interface and
the time from the moments at which these moved, the same for all tools; CPU
is what a process used, with all its threads. Each process has a session of
its own.
"""

import contextlib
import os
import resource
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass

PORT = 5001
DATA_PORT = 6001  # nuttcp has a port for control and others for data
POLL_S = 0.02

HERE = os.path.dirname(os.path.realpath(__file__))
NAME = os.path.basename(sys.argv[0])


def say(text):
    print(f"{NAME}: {text}", file=sys.stderr)


# The network.

class Host:
    """A network namespace that lives as long as the process holding it."""

    def __init__(self):
        own = os.readlink("/proc/self/ns/net")
        self.holder = subprocess.Popen(
            ["setpriv", "--pdeathsig", "KILL", "unshare", "--net",
             "sleep", "infinity"], start_new_session=True)
        self.pid = self.holder.pid
        deadline = time.monotonic() + 5
        while os.readlink(f"/proc/{self.pid}/ns/net") == own:
            if self.holder.poll() is not None or time.monotonic() > deadline:
                self.close()
                sys.exit(f"{NAME}: no network namespace: are you root?")
            time.sleep(0.01)

    def close(self):
        self.holder.kill()
        self.holder.wait()

    def command(self, argv):
        return ["nsenter", f"--net=/proc/{self.pid}/ns/net", *argv]

    def run(self, *argv):
        subprocess.run(self.command(argv), check=True)

    def read(self, name):
        with open(f"/proc/{self.pid}/net/{name}", encoding="ascii") as file:
            return file.read().splitlines()[1:]

    def received(self, device):
        """Bytes and packets that came in so far."""
        for line in self.read("dev"):
            name, _, counters = line.partition(":")
            if name.strip() == device:
                count = counters.split()
                return int(count[0]), int(count[1])
        raise LookupError(device)

    def listens(self, port, protocol):
        suffix = f":{port:04X}"
        state = {"tcp": "0A", "udp": "07"}[protocol]
        for line in self.read(protocol) + self.read(protocol + "6"):
            field = line.split()
            if field[1].endswith(suffix) and field[3] == state:
                return True
        return False


@dataclass(frozen=True)
class Link:
    name: str
    client: Host
    server: Host
    address: str
    device: str  # whose counter of received bytes is read

    def received(self, two_way=False):
        """Bytes that came in so far at the server, or at both ends."""
        count = self.server.received(self.device)[0]
        if two_way and self.client is not self.server:
            count += self.client.received(self.device)[0]
        return count


@contextlib.contextmanager
def link_up(name, congestion="default"):
    """Yields loopback of one namespace, or a veth pair between two."""
    with contextlib.ExitStack() as stack:
        hosts = [stack.enter_context(contextlib.closing(Host()))]
        hosts[0].run("ip", "link", "set", "dev", "lo", "up")
        if name == "lo":
            link = Link("loopback", hosts[0], hosts[0], "127.0.0.1", "lo")
        else:
            hosts.append(stack.enter_context(contextlib.closing(Host())))
            hosts[0].run("ip", "link", "add", "eth0", "mtu", name, "type",
                         "veth", "peer", "name", "eth0", "mtu", name,
                         "netns", str(hosts[1].pid))
            for i, host in enumerate(hosts):
                host.run("ip", "address", "add", f"192.0.2.{i + 1}/24",
                         "dev", "eth0")
                host.run("ip", "link", "set", "dev", "eth0", "up")
            link = Link(f"veth, MTU {name}", *hosts, "192.0.2.2", "eth0")
        if congestion != "default":
            use_congestion_control(link, congestion)
        yield link


def use_congestion_control(link, name):
    """By route: namespaces may not choose a default of their own."""
    if link.device == "lo":
        for address in "127.0.0.0/8", "127.0.0.1":
            link.client.run("ip", "route", "replace", "local", address, "dev",
                            "lo", "table", "local", "congctl", name)
        return
    for host in link.client, link.server:
        host.run("ip", "route", "replace", "192.0.2.0/24", "dev", "eth0",
                 "congctl", name)


# One run.

class Process:
    """A process in a session of its own, with what it used."""

    def __init__(self, host, argv):
        self.argv = argv
        self.output = tempfile.TemporaryFile()
        self.popen = subprocess.Popen(
            host.command(argv), stdin=subprocess.DEVNULL, stdout=self.output,
            stderr=subprocess.STDOUT, start_new_session=True)
        self.peak_kb = 0
        self.cpu_s = None
        self.status = None

    def sample(self):
        """Notes the peak of memory so far; the rusage would tell that of
        the process which forked."""
        with contextlib.suppress(OSError):
            with open(f"/proc/{self.popen.pid}/status",
                      encoding="utf-8") as file:
                for line in file:
                    if line.startswith("VmHWM:"):
                        self.peak_kb = max(self.peak_kb, int(line.split()[1]))

    def ended(self, options=os.WNOHANG):
        if self.status is None:
            pid, status, usage = os.wait4(self.popen.pid, options)
            if pid != 0:
                self.status = os.waitstatus_to_exitcode(status)
                self.popen.returncode = self.status
                self.cpu_s = usage.ru_utime + usage.ru_stime
        return self.status is not None

    def signal(self, number):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.popen.pid, number)

    def stop(self):
        """Waits for the end; if need be asks for it, then insists."""
        for number, patience_s in ((0, 0.2), (signal.SIGINT, 5),
                                   (signal.SIGTERM, 2), (signal.SIGKILL, 2)):
            self.signal(number)
            deadline = time.monotonic() + patience_s
            while not self.ended() and time.monotonic() < deadline:
                time.sleep(POLL_S)
            if self.ended():
                return

    def text(self):
        # Without moving the offset, at which the process writes.
        size = os.fstat(self.output.fileno()).st_size
        return os.pread(self.output.fileno(), size, 0).decode(
            errors="replace")

    def kill(self):
        if not self.ended():
            self.signal(signal.SIGKILL)
            self.ended(0)


@dataclass(frozen=True)
class Run:
    """What one run of a client with its server did."""
    bytes: int  # at the receiving interface, with headers
    active_s: float  # between the first and last time these moved
    wall_s: float  # of the client
    client: Process
    server: Process

    @property
    def cpu_s(self):
        return self.client.cpu_s + self.server.cpu_s


def wait_listening(link, server, protocol):
    deadline = time.monotonic() + 5
    while not link.server.listens(PORT, protocol):
        if server.ended() or time.monotonic() > deadline:
            raise RuntimeError(f"no server: {server.text()}")
        time.sleep(POLL_S)


def watch(received, client, server, limit_s, least):
    """Follows a counter until the client ends; returns bytes and the
    seconds between the first and the last time they moved by more than
    `least`: hellos and goodbyes are a trickle."""
    begin = last = received()
    started = moved = first = time.monotonic()
    while not client.ended():
        time.sleep(POLL_S)
        client.sample()
        server.sample()
        now = time.monotonic()
        current = received()
        if current - last > least:
            if moved == started:
                first = now - POLL_S
            moved = now
        last = current
        if now - started > limit_s:
            raise RuntimeError(f"no end: {client.text()}")
    last = received()
    return last - begin, max(moved - first, POLL_S)


def run(link, server_argv, client_argv, limit_s, protocol="tcp",
        least=1_000_000, two_way=False):
    """Runs a server and its client to their ends. Raises RuntimeError."""
    server = Process(link.server, server_argv)
    client = None
    try:
        wait_listening(link, server, protocol)
        start = time.monotonic()
        client = Process(link.client, client_argv)
        count, active_s = watch(lambda: link.received(two_way), client,
                                server, limit_s, least)
        wall_s = time.monotonic() - start
        if client.status != 0:
            raise RuntimeError(
                f"exit status {client.status}: {client.text()[-500:]}")
        server.stop()
    finally:
        for process in client, server:
            if process is not None:
                process.kill()
    return Run(count, active_s, wall_s, client, server)


# Tables and the command line.

def median(values):
    """Of those that are not None."""
    values = [value for value in values if value is not None]
    return statistics.median(values) if values else float("nan")


def row(cells):
    print("| " + " | ".join(cells) + " |", flush=True)


def header(cells):
    row(cells)
    row(["---"] * len(cells))


def version_of(path, option):
    done = subprocess.run([path, option], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, check=False)
    return done.stdout.strip().splitlines()[0] if done.stdout else "?"


def find_tools(makers, args):
    """Ours first, then the installed ones, with their versions. A maker
    turns a path into a tool, by the name of the program."""
    found = [(makers["ours"](args.iperf), version_of(args.iperf, "-v"))]
    for name, option in (("iperf", "-v"), ("iperf3", "--version"),
                         ("nuttcp", "-V")):
        path = shutil.which(name)
        if name not in makers or name not in args.peers:
            continue
        if path is not None:
            found.append((makers[name](path), version_of(path, option)))
        else:
            say(f"{name} is not installed")
    return found


def words(text):
    return text.split(",")


def numbers(text):
    return [int(word) for word in words(text)]


def add_common_options(parser):
    parser.add_argument("--iperf", metavar="PATH", help="our program",
                        default=os.path.join(HERE, "../src/iperf"))
    parser.add_argument("--peers", type=words, metavar="LIST",
                        default=["iperf", "iperf3", "nuttcp"])
    parser.add_argument("--links", type=words, metavar="LIST",
                        help="lo, or the MTU of a veth pair")
    parser.add_argument("--time", type=int, default=3, metavar="SECONDS")
    parser.add_argument("--runs", type=int, default=5)


def check_common_options(parser, args):
    if shutil.which(args.iperf) is None:
        parser.error(f"no program at {args.iperf}: see --iperf")


def set_up():
    """An orderly end, with all namespaces and processes gone; and as many
    descriptors as the system gives."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))


def call(main):
    set_up()
    try:
        main()
    except KeyboardInterrupt:
        sys.exit(130)
