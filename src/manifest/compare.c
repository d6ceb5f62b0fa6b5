/* Did the right thing come out? Three answers: by checksum, by sums with a tolerance, or element by element
 * against a CPU reference. */
#include "manifest/manifest.h"

#include <math.h>
#include <string.h>

double manifest_element(const struct manifest_type *t, const void *data, u64 i) {
    u64 u = 0;
    memcpy(&u, (const u8 *)data + i * t->size_b, t->size_b);
    float f;
    double d;
    memcpy(&f, &(u32){(u32)u}, sizeof(f));
    memcpy(&d, &u, sizeof(d));
    u32 shift = 64 - 8 * t->size_b;
    switch (t->kind) {
    case TYPE_UNSIGNED: return (double)u;
    case TYPE_SIGNED: return (double)((i64)(u << shift) >> shift);
    case TYPE_FLOAT: return t->size_b == 4 ? (double)f : d;
    }
    return 0;
}

static void summarise(const struct manifest *m, void *const *data, struct outcome *o) {
    o->hash = FNV1A64_START;
    o->sum = o->abs_sum = 0;
    for (u32 b = 0; b < m->nbuffers; b++) {
        const struct manifest_buffer *buf = &m->buffers[b];
        if (!buf->check) continue;
        o->hash = hash_fnv1a64(o->hash, data[b], buf->bytes);
        for (u64 i = 0; m->expect.mode == EXPECT_TOLERANCE && i < buf->count; i++) {
            double v = manifest_element(buf->type, data[b], i);
            o->sum += v;
            o->abs_sum += fabs(v);
        }
    }
}

static void compare_bits(const struct manifest_expect *e, struct outcome *o) {
    o->verdict = o->hash == e->hash ? VERDICT_OK : VERDICT_DIFFERS;
    if (o->verdict == VERDICT_OK) snprintf(o->text, sizeof(o->text), "%016llx, as %s", (unsigned long long)o->hash, e->origin);
    else
        snprintf(o->text, sizeof(o->text), "got %016llx, want %016llx (%s)", (unsigned long long)o->hash,
                 (unsigned long long)e->hash, e->origin);
}

/* Both errors are measured against the sum of absolute values: the plain sum may cancel to nearly nothing. A
 * NaN agrees with nothing. */
static void compare_sums(const struct manifest_expect *e, struct outcome *o) {
    double worst = fmax(fabs(o->sum - e->sum), fabs(o->abs_sum - e->abs_sum)), scale = fabs(e->abs_sum);
    bool finite = isfinite(o->sum) && isfinite(o->abs_sum);
    o->verdict = finite && worst <= e->tolerance * scale ? VERDICT_OK : VERDICT_DIFFERS;
    snprintf(o->text, sizeof(o->text), "sums within %.2g of %s, tolerance %g", scale > 0 ? worst / scale : worst, e->origin,
             e->tolerance);
    if (o->verdict == VERDICT_DIFFERS)
        snprintf(o->text, sizeof(o->text), "sum %.9g and absolute sum %.9g, want %.9g and %.9g (%s) within %g", o->sum,
                 o->abs_sum, e->sum, e->abs_sum, e->origin, e->tolerance);
}

static bool element_agrees(const struct manifest_type *t, const void *a, const void *b, u64 i, double tolerance) {
    if (memcmp((const u8 *)a + i * t->size_b, (const u8 *)b + i * t->size_b, t->size_b) == 0) return true;
    if (t->kind != TYPE_FLOAT || tolerance == 0) return false;
    double x = manifest_element(t, a, i), y = manifest_element(t, b, i);
    if (isnan(x) || isnan(y)) return isnan(x) && isnan(y);
    if (isinf(x) || isinf(y)) return x == y;
    return fabs(x - y) <= tolerance * fmax(1, fmax(fabs(x), fabs(y)));
}

static void compare_reference(const struct manifest *m, void *const *data, void *const *want, struct outcome *o) {
    u64 wrong = 0, elements = 0;
    o->verdict = VERDICT_OK;
    for (u32 b = 0; b < m->nbuffers; b++) {
        const struct manifest_buffer *buf = &m->buffers[b];
        for (u64 i = 0; buf->check && i < buf->count; i++, elements++) {
            if (element_agrees(buf->type, data[b], want[b], i, m->expect.tolerance)) continue;
            if (wrong++ == 0)
                snprintf(o->text, sizeof(o->text), "%s[%llu] is %.9g, want %.9g", buf->name, (unsigned long long)i,
                         manifest_element(buf->type, data[b], i), manifest_element(buf->type, want[b], i));
        }
    }
    if (wrong) {
        size_t n = strlen(o->text);
        o->verdict = VERDICT_DIFFERS;
        snprintf(o->text + n, sizeof(o->text) - n, "; %llu of %llu elements differ from the CPU reference",
                 (unsigned long long)wrong, (unsigned long long)elements);
    } else snprintf(o->text, sizeof(o->text), "%llu elements as the CPU reference", (unsigned long long)elements);
}

void manifest_compare(const struct manifest *m, void *const *data, void *const *want, struct outcome *o) {
    *o = (struct outcome){VERDICT_NONE};
    summarise(m, data, o);
    if (m->expect.mode == EXPECT_BITS) compare_bits(&m->expect, o);
    if (m->expect.mode == EXPECT_TOLERANCE) compare_sums(&m->expect, o);
    if (m->expect.mode == EXPECT_REFERENCE) compare_reference(m, data, want, o);
}
