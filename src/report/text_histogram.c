/* SPDX-License-Identifier: BSD-2-Clause */
#include "config.h"

/* Histograms, each on the line below the row that it belongs to. */

#include <inttypes.h>

#include "base/clock.h"
#include "measure/histogram.h"
#include "report/fact.h"
#include "report/text.h"

/* Three standard deviations of a normal distribution. */
#define THREE_SIGMA_PERCENT 99.7

static void
write_bins(FILE *out, const struct histogram *h)
{
	char separator = '=';
	uint32_t i;

	fprintf(out, "cnt(%" PRIu64 ")", h->count);
	for (i = 0; i < h->shape.bins; i++) {
		if (h->bin[i] == 0)
			continue;
		fprintf(out, "%c%" PRIu32 ":%" PRIu64, separator, i + 1,
		    h->bin[i]);
		separator = ',';
	}
}

/* The limits in ascending order: the one in between may be the upper one. */
static void
write_limits(FILE *out, const struct histogram *h)
{
	double lower = h->shape.lower_percent, upper = h->shape.upper_percent;
	double middle = upper, last = THREE_SIGMA_PERCENT;

	if (upper > THREE_SIGMA_PERCENT) {
		middle = THREE_SIGMA_PERCENT;
		last = upper;
		fprintf(out, "(%.2f/%.1f/%.2f%%=", lower, middle, last);
	} else {
		fprintf(out, "(%.2f/%.2f/%.1f%%=", lower, middle, last);
	}
	fprintf(out,
	    "%" PRIu32 "/%" PRIu32 "/%" PRIu32 ",Outliers=%" PRIu64
	    ",obl/obu=%" PRIu64 "/%" PRIu64 ")",
	    histogram_percentile(h, lower), histogram_percentile(h, middle),
	    histogram_percentile(h, last), histogram_outliers(h), h->below,
	    h->above);
}

static void
write_histogram(struct text_state *st, const struct row_fact *row,
    const struct histogram *h, const char *name, bool with_max)
{
	bool whole_ms = h->shape.width_ns % NS_PER_MS == 0;

	text_row_begin(st, row);
	fprintf(st->out,
	    " %s%s%s-PDF: bin(w=%" PRId64 "%s):", row->sum ? "SUM" : "", name,
	    row->total ? "(f)" : "",
	    h->shape.width_ns / (whole_ms ? NS_PER_MS : NS_PER_US),
	    whole_ms ? "ms" : "us");
	write_bins(st->out, h);
	fputc(' ', st->out);
	write_limits(st->out, h);
	if (with_max && h->count > 0)
		fprintf(st->out, " (%.3f ms/%" PRId64 ".%06" PRId64 ")",
		    (double)h->max_ns / NS_PER_MS, h->max_wall_ns / NS_PER_S,
		    h->max_wall_ns % NS_PER_S / NS_PER_US);
	fputc('\n', st->out);
}

void
text_histograms(struct text_state *st, const struct row_fact *row)
{
	const struct tally *t = row->tally;

	if (t->delay_bins != NULL)
		write_histogram(st, row, t->delay_bins, "T8", true);
	if (t->jitter_bins != NULL)
		write_histogram(st, row, t->jitter_bins, "J8", false);
}
