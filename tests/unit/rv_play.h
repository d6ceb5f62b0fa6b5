/* rv_play: RISC-V programs as text (rv_asm.h) on two cores of four warps of four threads, with time and
 * without, on machines whose stages differ in what they keep of an instruction. */
#ifndef RV_PLAY_H
#define RV_PLAY_H

#include "api/api.h"

#include <setjmp.h>

#include <cmocka.h>

#include "rv_asm.h"
#include "rv_keys.h"

enum { OUT = 0x80008000, CORES = 2, WARPS = 4, LANES = 4, HARTS = CORES * WARPS * LANES };

struct played {
    int rc;
    char message[1024];
    u32 mem[HARTS];
    u64 instructions, cycles;
    double line_accesses;
};

static struct played play_launches(const char *text, const char *machine, const char *keys, bool timed, u32 launches) {
    struct played r = {0};
    static struct rv_asm a;
    struct heddle_module *mod;
    struct heddle_result result = {0};
    struct heddle *h = heddle_open(&(struct heddle_options){.functional = !timed, .max_instructions = 1000000});
    assert_int_equal(heddle_set_machine(h, machine), HEDDLE_OK);
    set_keys(h, "gpu.sms=2 sm.warps=4 sm.warp_size=4 isa.riscv.ext=imaf");
    set_keys(h, keys);
    if (timed) {
        heddle_audit(h, true);
        heddle_timing(h, &(struct heddle_timing){.check_cycles = 3});
    }
    asm_program(&a, text, RV_2021);
    assert_int_equal(heddle_module_load(h, "p.bin", (const char *)a.words, (size_t)a.n * 4, &mod), HEDDLE_OK);
    struct heddle_launch l = {.grid = {CORES, 1, 1}, .block = {WARPS * LANES, 1, 1}};
    for (u32 i = 0; i < launches && !r.rc; i++) r.rc = heddle_launch(h, heddle_module_kernel(mod, "program"), &l, &result);
    r.instructions = result.warp_instructions, r.cycles = result.cycles;
    if (timed) heddle_stat(h, "line_accesses", &r.line_accesses);
    snprintf(r.message, sizeof(r.message), "%s", heddle_message(h));
    if (heddle_audit_result(h).violations) fail_msg("%s, %s: %s", machine, keys, heddle_audit_result(h).text);
    assert_int_equal(heddle_read(h, OUT, r.mem, sizeof(r.mem)), HEDDLE_OK);
    heddle_close(h);
    return r;
}

static struct played play(const char *text, const char *machine, const char *keys, bool timed) {
    return play_launches(text, machine, keys, timed, 1);
}

/* Machines that RISC-V runs on, and what is under way in them when the text changes */
static const struct {
    const char *name, *keys;
    bool apart; /* only where branches part lanes by themselves */
} machines[] = {
    {"vortex2021", ""},
    {"vortex2021", "sm.fetch.no_stall=true sm.fetch.stall_table=128 sm.fetch.bpr=true sm.fetch.queue=8"},
    {"vortex2021", "sm.sched=gto_wait sm.fetch=find_first"},
    {"vortex2021", "sm.sched=owl sm.sched.owl.interval_cy=50 sm.diverge=dual_path"},
    {"vortex2021", "sm.diverge=frontier"},
    {"vortex2021", "sm.diverge=cbarrier sm.fetch.no_stall=true"},
    {"small", "sm.hazard=stall"},
    {"small", "sm.hazard=retain"},
    {"small", "sm.hazard=replay sm.l1.mshrs=1"},
    {"small", "sm.issue_width=2"},
    {"small", "sm.order=single"},
    {"small", "sm.order=scoreboard"},
    {"small", "sm.order=tomasulo"},
    {"small", "sm.order=rob"},
    {"small", "sm.order=rob order.speculate=bimodal"},
    {"small", "sm.order=ghost"},
    {"small", "sm.order=loog"},
    {"small", "sm.diverge=its"},
    {"small", "sm.diverge=cbarrier"},
    {"small", "sm.diverge=frontier"},
    {"small", "sm.diverge=dual_path"},
    {"small", "sm.diverge=interweave"},
    {"small", "sm.diverge=dws dws.split=branch"},
    {"small", "sm.diverge=mimd"},
    {"small", "sm.diverge=none"},
    {"small", "sm.diverge=dws dws.split=both", true},
    {"small", "sm.diverge=dws dws.split=memory", true},
    {"small", "sm.diverge=dwf", true},
    {"small", "sm.diverge=tbc", true},
    {"small", "sm.diverge=lwm", true},
    {"small", "sm.diverge=vws vws.slice=2", true},
    {"gtx480", "sm.shared_b=49152"},
    {"jin2012", "sm.shared_b=49152"},
};

#endif
