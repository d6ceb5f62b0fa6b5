/* The lines of a Kanata log; see konata.c for what they mean. */
#include "trace/kanata.h"

void kanata_begin(struct kanata *k, FILE *out) {
    *k = (struct kanata){.out = out, .cycle = UINT64_MAX};
    fputs("Kanata\t0004\n", out);
}

void kanata_cycle(struct kanata *k, u64 cycle) {
    bool first = k->cycle == UINT64_MAX;
    if (!first && cycle <= k->cycle) return;
    fprintf(k->out, first ? "C=\t%llu\n" : "C\t%llu\n", (unsigned long long)(first ? cycle : cycle - k->cycle));
    k->cycle = cycle;
}

void kanata_row(struct kanata *k, i64 row, u64 uid, u32 thread) {
    fprintf(k->out, "I\t%lld\t%llu\t%u\n", (long long)row, (unsigned long long)uid, thread);
}

void kanata_text(struct kanata *k, const char *s) {
    for (; *s; s++) putc((unsigned char)*s < ' ' ? ' ' : *s, k->out);
    putc('\n', k->out);
}

void kanata_stage(struct kanata *k, char op, i64 row, u32 lane, const char *stage) {
    fprintf(k->out, "%c\t%lld\t%u\t%s\n", op, (long long)row, lane, stage);
}

void kanata_need(struct kanata *k, i64 row, i64 from) { fprintf(k->out, "W\t%lld\t%lld\t0\n", (long long)row, (long long)from); }

void kanata_retire(struct kanata *k, i64 row, bool never_finished) {
    fprintf(k->out, "R\t%lld\t%lld\t%d\n", (long long)row, (long long)k->retired++, never_finished);
}
