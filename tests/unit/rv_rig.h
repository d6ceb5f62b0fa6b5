/* rv_rig: small Vortex programs for the tests, run without time and with, on machines of a few lanes. */
#ifndef RV_RIG_H
#define RV_RIG_H

#include "api/api.h"
#include "config/config.h"
#include "core/diverge_policy.h"

#include <setjmp.h>
#include <stdlib.h>

#include <cmocka.h>

#include "rv_asm.h"
#include "rv_keys.h"

enum { OUT = 0x80008000 }; /* behind the image: what programs write, the tests read */

struct rig {
    struct heddle *h;
    FILE *out;
    char text[4096]; /* printed */
    u32 mem[256];
    int rc;
    char message[1024];
    u64 violations;
    char audit[1024];
};

struct machine {
    enum rv_variant variant;
    enum rv_diverge diverge;
    u32 cores, warps, lanes;
    const char *mechanism; /* sm.diverge; NULL: the machine's */
    const char *keys;      /* set beside it; NULL: none */
};
#define OLD   (struct machine){RV_2021, RV_SPLIT, 1, 4, 4}
#define NEW   (struct machine){RV_V3, RV_SPLIT, 1, 4, 4}
#define IPDOM (struct machine){RV_2021, RV_IPDOM, 1, 4, 4}

enum how { PLAIN, TIMED, PIPELINE, IMPROVED }; /* without time; machine small; machine vortex2021; and with Aurud's front end */

/* With what makes it part few lanes and warps */
static inline void diverges_by(struct config *c, const char *mechanism, bool pipeline) {
    snprintf(c->diverge, sizeof(c->diverge), "%s", mechanism);
    if (strcmp(mechanism, "vws") == 0) c->vws_slice = 2;
    if (strcmp(mechanism, "lwm") == 0) c->lwm_warps = 2;
    if (strcmp(mechanism, "dws") == 0) c->dws_split = pipeline ? DWS_BRANCH : DWS_BOTH;
}

static inline void machine_of(struct heddle *h, struct machine m, enum how how) {
    struct config c;
    config_default(&c);
    if (how >= PIPELINE) {
        assert_int_equal(heddle_set_machine(h, "vortex2021"), HEDDLE_OK);
        c = *heddle_config(h);
    }
    c.vortex = m.variant, c.vortex_diverge = m.diverge, c.sms = m.cores, c.warps = m.warps, c.warp_size = m.lanes;
    c.threads = m.warps * m.lanes;
    if (m.mechanism) diverges_by(&c, m.mechanism, how >= PIPELINE);
    c.riscv_ext = 1; /* with atomics */
    if (how == IMPROVED) c.fetch_no_stall = 1, c.stall_table = 128, c.fetch_bpr = 1;
    heddle_set_config(h, &c);
    if (m.keys && how != PLAIN) set_keys(h, m.keys);
}

static inline struct rig play(const char *text, struct machine m, enum how how) {
    struct rig r = {0};
    static struct rv_asm a;
    struct heddle_module *mod;
    r.out = tmpfile();
    r.h = heddle_open(&(struct heddle_options){.functional = how == PLAIN, .program_out = r.out, .max_instructions = 1000000});
    machine_of(r.h, m, how);
    if (how != PLAIN) {
        heddle_audit(r.h, true);
        heddle_timing(r.h, &(struct heddle_timing){.check_cycles = 5});
    }
    asm_program(&a, text, m.variant);
    assert_int_equal(heddle_module_load(r.h, "p.bin", (const char *)a.words, (size_t)a.n * 4, &mod), HEDDLE_OK);
    struct heddle_launch l = {.grid = {m.cores, 1, 1}, .block = {m.warps * m.lanes, 1, 1}};
    r.rc = heddle_launch(r.h, heddle_module_kernel(mod, "program"), &l, NULL);
    snprintf(r.message, sizeof(r.message), "%s", heddle_message(r.h));
    r.violations = heddle_audit_result(r.h).violations;
    snprintf(r.audit, sizeof(r.audit), "%s", heddle_audit_result(r.h).text);
    assert_int_equal(heddle_read(r.h, OUT, r.mem, sizeof(r.mem)), HEDDLE_OK);
    rewind(r.out);
    r.text[fread(r.text, 1, sizeof(r.text) - 1, r.out)] = 0;
    fclose(r.out);
    heddle_close(r.h);
    return r;
}

static inline struct rig run(const char *text, struct machine m) { return play(text, m, PLAIN); }

/* With time the same memory and output as without, and an audit that finds nothing */
static inline void good_timed(const char *text, struct machine m, enum how how, const struct rig *r) {
    const char *mechanism = m.mechanism ? m.mechanism : "the machine's own", *keys = m.keys ? m.keys : "";
    struct rig t = play(text, m, how);
    if (t.rc) fail_msg("timed (%d, %s %s): %s", how, mechanism, keys, t.message);
    if (t.violations) fail_msg("timed (%d, %s %s): %s", how, mechanism, keys, t.audit);
    assert_string_equal(r->text, t.text);
    for (u32 i = 0; i < ARRAY_LEN(t.mem); i++)
        if (r->mem[i] != t.mem[i])
            fail_msg("timed (%d, %s %s): word %u is 0x%x, without time 0x%x", how, mechanism, keys, i, t.mem[i], r->mem[i]);
}

/* The pipeline of Vortex has it: a front is a warp, of which one instruction issues */
static inline bool pipelined(const struct diverge_policy *d) { return !d->forms && !d->joint && !d->weaves; }

/* Without time, and with; under every mechanism of divergence where branches part lanes by themselves */
static inline struct rig good(const char *text, struct machine m) {
    static u32 turn; /* of the mechanisms on the pipeline: two of the seven for each program */
    struct rig r = run(text, m);
    if (r.rc) fail_msg("%s", r.message);
    turn++;
    for (enum how how = TIMED; how <= IMPROVED; how++) good_timed(text, m, how, &r);
    for (u32 i = 0; m.diverge == RV_IPDOM && diverge_policies[i]; i++) {
        m.mechanism = diverge_policies[i]->name;
        good_timed(text, m, TIMED, &r);
        if (pipelined(diverge_policies[i]) && (i + turn) % 4 == 0) good_timed(text, m, PIPELINE + turn / 4 % 2, &r);
    }
    return r;
}

static inline void expect(const struct rig *r, u32 at, const u32 *want, u32 n) {
    for (u32 i = 0; i < n; i++)
        if (r->mem[at + i] != want[i]) fail_msg("word %u is %u, expected %u", at + i, r->mem[at + i], want[i]);
}

#endif
