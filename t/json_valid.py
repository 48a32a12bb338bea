#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-2-Clause
#
# json_valid.py SCHEMA
#
# Standard input has lines of "document|stream FILE ...": each file is strict
# JSON (no key twice in an object, no NaN), one document or one object a line,
# as the schema says. What is wrong goes to FILE.faults, which is always made.

import json
import sys

from jsonschema import Draft7Validator


def unique(pairs):
    keys = [key for key, _ in pairs]
    if len(set(keys)) != len(keys):
        raise ValueError("a key twice in " + " ".join(keys))
    return dict(pairs)


def finite(name):
    raise ValueError(name + " is no JSON")


def parse(text):
    return json.loads(text, object_pairs_hook=unique, parse_constant=finite)


def objects(form, path):
    with open(path, encoding="utf-8") as f:
        if form == "document":
            yield parse(f.read())
            return
        for line in f:
            if not line.endswith("\n"):
                raise ValueError("the last line has no end")
            yield parse(line)


# The most telling of the errors below "oneOf".
def reasons(error):
    if not error.context:
        yield "/".join(map(str, error.absolute_path)) + ": " + error.message
        return
    for below in error.context:
        if below.validator not in ("const", "enum"):
            yield from reasons(below)


def faults(validator, form, path):
    count = 0
    try:
        for value in objects(form, path):
            count += 1
            if ("event" in value) != (form == "stream"):
                yield "{}: not of a {}".format(count, form)
            for error in validator.iter_errors(value):
                yield " ".join([str(count), *list(reasons(error))[:3]])
    except ValueError as error:
        yield "{}: {}".format(count, error)
    if count == 0:
        yield "empty"


def main():
    with open(sys.argv[1], encoding="utf-8") as f:
        schema = json.load(f)
    Draft7Validator.check_schema(schema)
    validator = Draft7Validator(schema)
    for line in sys.stdin:
        form, path = line.split()[:2]
        with open(path + ".faults", "w", encoding="utf-8") as f:
            for fault in faults(validator, form, path):
                print(fault, file=f)


main()
