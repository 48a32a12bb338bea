/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "base/options.h"
#include "report/progress.h"
#include "run_suite.h"

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static const struct {
	struct progress_view view;
	const char *line;
} lines[] = {
    {{.elapsed_ns = 0,
	 .total_ns = 10 * NS_PER_S,
	 .sends = true,
	 .format = 'a',
	 .columns = 80},
	"[--------------------]  0.0 of 10.0 s  0.000 bits/sec"},
    {{.elapsed_ns = 4200 * NS_PER_MS,
	 .total_ns = 10 * NS_PER_S,
	 .sends = true,
	 .sent_bytes_s = 125e6,
	 .format = 'a',
	 .columns = 80},
	"[########------------]  4.2 of 10.0 s  1.00 Gbits/sec"},
    {{.elapsed_ns = 10 * NS_PER_S,
	 .total_ns = 10 * NS_PER_S,
	 .receives = true,
	 .received_bytes_s = 1048576,
	 .format = 'M',
	 .columns = 80},
	"[####################]  10.0 of 10.0 s  1.00 MBytes/sec"},
    {{.elapsed_ns = 5000 * NS_PER_S,
	 .total_ns = 10000 * NS_PER_S,
	 .sends = true,
	 .receives = true,
	 .sent_bytes_s = 1000,
	 .received_bytes_s = 125e3,
	 .format = 'k',
	 .columns = 90},
	"[##########----------]  5000 of 10000 s  8.00 Kbits/sec out, "
	"1000 Kbits/sec in"},
    /* As many columns as it takes, and one less. */
    {{.elapsed_ns = 4200 * NS_PER_MS,
	 .total_ns = 10 * NS_PER_S,
	 .sends = true,
	 .sent_bytes_s = 125e6,
	 .format = 'a',
	 .columns = 56},
	"[########------------]  4.2 of 10.0 s  1.00 Gbits/sec"},
    {{.elapsed_ns = 4200 * NS_PER_MS,
	 .total_ns = 10 * NS_PER_S,
	 .sends = true,
	 .sent_bytes_s = 125e6,
	 .format = 'a',
	 .columns = 55},
	"4.2 of 10.0 s  1.00 Gbits/sec"},
    {{.elapsed_ns = 4200 * NS_PER_MS,
	 .total_ns = 10 * NS_PER_S,
	 .sends = true,
	 .sent_bytes_s = 125e6,
	 .format = 'a',
	 .columns = 12},
	"4.2 of 10"},
    {{.elapsed_ns = 1, .format = 'a', .columns = 3}, ""},
    {{.elapsed_ns = 1, .format = 'a', .columns = 0}, ""},
    /* Bytes that were asked for. */
    {{.elapsed_ns = 3 * NS_PER_S,
	 .bytes = 25 << 20,
	 .total_bytes = 100 << 20,
	 .sends = true,
	 .sent_bytes_s = 1e6,
	 .format = 'a',
	 .columns = 80},
	"[#####---------------]  25.0 MBytes of 100 MBytes  "
	"8.00 Mbits/sec"},
    {{.elapsed_ns = 3 * NS_PER_S,
	 .bytes = 300,
	 .total_bytes = 200,
	 .sends = true,
	 .format = 'B',
	 .columns = 80},
	"[####################]   300 Bytes of 200 Bytes  0.000 Bytes/sec"},
    /* No end is known. */
    {{.elapsed_ns = 12300 * NS_PER_MS,
	 .bytes = 3 << 20,
	 .sends = true,
	 .sent_bytes_s = 1e6,
	 .format = 'a',
	 .columns = 80},
	"12.3 s  8.00 Mbits/sec  3.00 MBytes"},
};

START_TEST(test_progress_format)
{
	char buf[PROGRESS_LINE_MAX];
	int len = progress_format(buf, sizeof(buf), &lines[_i].view);

	ck_assert_str_eq(buf, lines[_i].line);
	ck_assert_int_eq(len, (int)strlen(buf));
}
END_TEST

/* Whatever the width, a line fits, and ends where it is cut. */
START_TEST(test_progress_width)
{
	struct progress_view view = lines[3].view;
	char buf[PROGRESS_LINE_MAX];
	int columns, len;

	for (columns = 1; columns < 400; columns++) {
		view.columns = columns;
		len = progress_format(buf, sizeof(buf), &view);
		ck_assert_int_lt(len, columns > 2 ? columns - 2 : 1);
		ck_assert_int_eq(len, (int)strlen(buf));
	}
	view.columns = 400;
	ck_assert_int_lt(progress_format(buf, 8, &view), 8);
}
END_TEST

/* The tests run without a terminal; nothing is wanted then. */
START_TEST(test_progress_not_wanted)
{
	struct options o = {.role = ROLE_CLIENT, .connect_only = -1};
	struct progress p;

	o.interval_ns = NS_PER_S;
	ck_assert(!progress_is_wanted(&o));
	progress_init(&p, &o);
	ck_assert(!p.enabled);
	ck_assert(!progress_is_due(&p, NULL, &o, 0));
	ck_assert_int_eq(p.next_ns, INT64_MAX);
}
END_TEST

static Suite *
progress_suite(void)
{
	Suite *s = suite_create("progress");
	TCase *tc = tcase_create("line");

	tcase_add_loop_test(tc, test_progress_format, 0, COUNT(lines));
	tcase_add_test(tc, test_progress_width);
	tcase_add_test(tc, test_progress_not_wanted);
	suite_add_tcase(s, tc);
	return s;
}

int
main(void)
{
	return run_suite(progress_suite());
}
