/* Comma-separated values for spreadsheets and scripts: one row per launch with every metric, and interval
 * samples. The first row names the columns. */
#include "report/report.h"

#include <math.h>

/* Text that may hold commas or quotes */
static void put_text(FILE *f, const char *s) {
    if (!strpbrk(s, ",\"\n")) {
        fputs(s, f);
        return;
    }
    fputc('"', f);
    for (; *s; s++) {
        if (*s == '"') fputc('"', f);
        fputc(*s, f);
    }
    fputc('"', f);
}

/* Empty where there is no value */
static void put_number(FILE *f, double x) {
    if (isnan(x)) return;
    if (x == floor(x) && fabs(x) < 9e15) fprintf(f, "%.0f", x);
    else fprintf(f, "%.9g", x);
}

static void put_metric_names(FILE *f) {
    for (u32 i = 0; i < metric_count(); i++) fprintf(f, ",%s%s", metric_at(i).prefix, metric_at(i).name);
    fputc('\n', f);
}

static void put_metrics(FILE *f, const struct launch_stats *s, enum cpi_method m) {
    for (u32 i = 0; i < metric_count(); i++) {
        fputc(',', f);
        put_number(f, metric_value(s, i, m));
    }
    fputc('\n', f);
}

/* --- launches; the last row is their sum, called `all` */

static void put_launch(FILE *f, const struct report *r, const char *index, const char *kernel, const struct launch_stats *s) {
    put_text(f, r->play->m->name);
    fputc(',', f);
    put_text(f, heddle_config(r->play->h)->machine);
    fprintf(f, ",%s,", index);
    put_text(f, kernel);
    put_metrics(f, s, r->wishes.cpi);
}

void report_write_csv(const struct report *r, FILE *f) {
    fputs("name,machine,launch,kernel", f);
    put_metric_names(f);
    for (u32 i = 0; r->launches && i < r->play->m->nlaunches; i++) {
        char index[16];
        snprintf(index, sizeof(index), "%u", i);
        if (r->launches[i].kept) put_launch(f, r, index, r->launches[i].stats.kernel, &r->launches[i].stats);
    }
    if (report_timed(r)) put_launch(f, r, "all", "", &r->total);
}

/* --- interval samples: differences from the sample before, warp time in slot cycles */

static double over(u64 a, u64 b) { return b ? (double)a / (double)b : NAN; }

static void put_sample(FILE *f, const struct launch_stats *s, u64 length, const struct sample *x) {
    const double columns[] = {
        (double)x->warp_instructions,
        over(x->warp_instructions, length),
        over(x->warp_cycles, length * s->sms * s->warps),
        (double)x->l1_accesses,
        over(x->l1_hits, x->l1_accesses),
        (double)x->l2_accesses,
        over(x->l2_hits, x->l2_accesses),
        (double)x->dram_bursts,
    };
    fprintf(f, "%llu", (unsigned long long)x->cycle);
    for (u32 i = 0; i < ARRAY_LEN(columns); i++) {
        fputc(',', f);
        put_number(f, columns[i]);
    }
    for (u32 i = 0; i < STALL_COUNT; i++) {
        fputc(',', f);
        put_number(f, (double)x->time[i] / 6.0);
    }
    fputc('\n', f);
}

static void put_samples(FILE *f, u32 launch, const struct launch_stats *s) {
    u64 before = 0;
    for (u32 i = 0; i < s->nsamples; i++) {
        fprintf(f, "%u,", launch);
        put_text(f, s->kernel);
        fputc(',', f);
        put_sample(f, s, s->samples[i].cycle - before, &s->samples[i]);
        before = s->samples[i].cycle;
    }
}

void report_write_samples(const struct report *r, FILE *f) {
    fputs("launch,kernel,cycle,warp_instructions,warp_ipc,occupancy,l1_accesses,l1_hit_rate,l2_accesses,l2_hit_rate,dram_bursts",
          f);
    for (u32 i = 0; i < STALL_COUNT; i++) fprintf(f, ",stall.%s", stall_table[i].name);
    fputc('\n', f);
    for (u32 i = 0; r->launches && i < r->play->m->nlaunches; i++)
        if (r->launches[i].kept) put_samples(f, i, &r->launches[i].stats);
}

/* --- configurations of `heddle compare` */

static void put_configuration(FILE *f, const struct comparison *c, const struct comparison_row *row) {
    put_text(f, c->name);
    if (c->machine) fputc(',', f), put_text(f, c->machine);
    for (u32 k = 0; k < c->nkeys; k++) {
        fputc(',', f);
        put_text(f, row->values[k]);
    }
    put_metrics(f, &row->total, c->cpi);
}

void comparison_write_csv(const struct comparison *c, u32 n, FILE *f) {
    fputs(n && c->machine ? "name,machine" : "name", f);
    for (u32 k = 0; n && k < c->nkeys; k++) fprintf(f, ",%s", c->keys[k]);
    put_metric_names(f);
    for (u32 i = 0; i < n; i++)
        for (u32 k = 0; k < c[i].rows.n; k++) put_configuration(f, &c[i], &c[i].rows.at[k]);
}

void report_mark_incomplete(FILE *f, const char *why) { fprintf(f, "# incomplete: %s\n", why); }
