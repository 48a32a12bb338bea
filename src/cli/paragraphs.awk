# SPDX-License-Identifier: BSD-2-Clause
#
# From the manual page to the text of --help=OPTION: prints, for each option
# that has a paragraph, its long name and the paragraph as C strings,
#
#	{"time", "line\n" "line\n"},
#
# in lines of at most WIDTH columns. Knows as much of mdoc as the lists of
# options use; of any other macro the arguments are text.

BEGIN {
	WIDTH = 72
	depth = 0
}

/^\.Sh / { listed = /^\.Sh (DESCRIPTION|OPTIONS)/; next }
!listed { next }
/^\.Bl / { depth++; next }
/^\.El/ {
	if (--depth == 0)
		finish()
	next
}
/^\.It Fl / && depth == 1 {
	finish()
	name = long_name()
	next
}
name == "" { next }
/^\.Pp/ { flush_line(); next }
/^\.\\"/ { next }
/^\./ { macro_line(); next }
{ add_words(plain($0)) }

# The first long name of ".It Fl t , Fl -time Ar seconds".
function long_name(    i)
{
	for (i = 2; i < NF; i++)
		if ($i == "Fl" && $(i + 1) ~ /^-./)
			return substr($(i + 1), 2)
	return ""
}

# Text without escapes of roff.
function plain(text)
{
	gsub(/\\&/, "", text)
	gsub(/\\-/, "-", text)
	gsub(/\\\(aq/, "'", text)
	return text
}

# Macros within a line set marks around or before their arguments. What stands
# for a value is in capitals, as in the list of options.
function macro_line(    i, n, word, text, mark, glue, closing, is_value)
{
	text = ""
	glue = 1
	mark = ""
	sub(/^\./, "")
	n = split_words($0)
	for (i = 1; i <= n; i++) {
		word = words[i]
		if (quoted[i]) {
			text = text (glue ? "" : " ") mark word
			glue = 0
		} else if (word == "Ns") {
			glue = 1
		} else if (word == "Fl") {
			mark = "-"
			is_value = 0
		} else if (word == "Ar" || word == "Cm" || word == "Dv" ||
		    word == "Li" || word == "Ev" || word == "Em" ||
		    word == "Pa" || word == "Nm" || word == "Sx" ||
		    word == "Xr" || word == "Ic" || word == "Va") {
			mark = ""
			is_value = word == "Ar"
			if (word == "Nm" && i == n)
				text = text (glue ? "" : " ") "iperf"
		} else if (word == "Ql" || word == "Dq" || word == "Sq") {
			text = text (glue ? "" : " ") "'"
			closing = closing "'"
			glue = 1
		} else if (word == "Pq") {
			text = text (glue ? "" : " ") "("
			closing = closing ")"
			glue = 1
		} else if (word == "Op" || word == "Oo") {
			text = text (glue ? "" : " ") "["
			if (word == "Op")
				closing = closing "]"
			glue = 1
		} else if (word == "Oc") {
			text = text "]"
		} else if (word ~ /^[.,;:)?]$/) {
			# A mark of quotation ends before punctuation.
			if (word != ")" && i == n) {
				text = text closing
				closing = ""
			}
			text = text word
		} else {
			word = is_value ? toupper(plain(word)) : plain(word)
			text = text (glue ? "" : " ") mark word
			glue = 0
		}
	}
	add_words(text closing)
}

# Splits a macro line into words[], with quoted[] for "a b".
function split_words(line,    n)
{
	n = 0
	while (match(line, /^[ \t]*("[^"]*"|[^ \t]+)/)) {
		n++
		words[n] = substr(line, 1, RLENGTH)
		line = substr(line, RLENGTH + 1)
		sub(/^[ \t]+/, "", words[n])
		quoted[n] = words[n] ~ /^"/
		gsub(/"/, "", words[n])
	}
	return n
}

function add_words(text,    i, n, part)
{
	n = split(text, part, /[ \t]+/)
	for (i = 1; i <= n; i++) {
		if (part[i] == "")
			continue
		if (line != "" && length(line) + 1 + length(part[i]) > WIDTH)
			flush_line()
		line = line (line == "" ? "" : " ") part[i]
	}
}

function flush_line()
{
	if (line != "") {
		gsub(/\\/, "\\\\", line)
		gsub(/"/, "\\\"", line)
		paragraph = paragraph "\n\t\"" line "\\n\""
	}
	line = ""
}

function finish()
{
	flush_line()
	if (name != "" && paragraph != "")
		printf "{\"%s\",%s},\n", name, paragraph
	name = paragraph = ""
}
