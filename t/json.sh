# SPDX-License-Identifier: BSD-2-Clause
# shellcheck shell=sh
# shellcheck disable=SC2154 # set by tap.sh
#
# What the tests of JSON share; source after tap.sh. A file is looked at with
# jq and, where python3 has jsonschema, held against the schema.

json_schema=$srcdir/doc/json-schema.json

# need_json: skips the test without jq, or a program without JSON.
need_json()
{
	need jq
	case $("$IPERF" --json -c 127.0.0.1 -F /no/such/file 2>&1) in
	*"built without JSON"*) skip_all "built without JSON" ;;
	esac
	json_python=
	if python3 -c 'import jsonschema' 2>/dev/null; then
		json_python=yes
	else
		diag "no jsonschema for python3: the schema is not tried"
	fi
}

# valid NAME document|stream FILE: JSON as the schema says. It is kept for
# judge_valid, since each start of the judge takes a moment.
json_kept=0
valid()
{
	json_kept=$((json_kept + 1))
	cp "$3" "$tmp/json-$json_kept"
	printf '%s %s %s\n' "$2" "$tmp/json-$json_kept" "$1" >>"$tmp/json-list"
}

# judge_valid: the tests of all that valid has kept.
judge_valid()
{
	[ -z "$json_python" ] || json_faults=$(python3 \
	    "$srcdir/t/json_valid.py" "$json_schema" <"$tmp/json-list" 2>&1) ||
		diag "$json_faults"
	while read -r json_form json_file json_name; do
		if [ -n "$json_python" ]; then
			is "$json_name: as the schema says" \
			    "$(cat "$json_file.faults" 2>&1)" ""
		else
			ok "$json_name: $json_form (schema not tried)" \
			    jq -es 'length > 0' "$json_file" >/dev/null
		fi
	done <"$tmp/json-list"
}

# holds NAME FILE FILTER: the filter gives true, of a document or, in an
# array, of all lines of a stream.
holds()
{
	json_got=$(jq -rs "if length == 1 then .[0] else . end | $3" \
	    "$2" 2>&1)
	is "$1" "$json_got" true
}

# document NAME [ARG ...]: our client with --json; $tmp/NAME has the report.
document()
{
	json_name=$1
	shift
	run 20 "$IPERF" -c 127.0.0.1 -p "$port" --json "$@"
	cp "$tmp/out" "$tmp/$json_name"
	valid "$json_name" document "$tmp/$json_name"
}
