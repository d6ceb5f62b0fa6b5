/* Random programs, half of them with calls, under every policy that lets threads of a warp part: each thread
 * writes what it works out alone, nothing is against the audit, and the invariants hold in every cycle. */
#include "flow.h"

enum { THREADS = 160, BLOCKS_OF_THREADS = 3 };

static void run_flow(u64 seed, const char *const *keys, u32 nkeys) {
    struct micro m = {.threads = THREADS, .blocks = BLOCKS_OF_THREADS, .timing = {.check_cycles = 1}};
    u32 out[THREADS];
    prog.calls = seed / 4 % 2;
    make_program(seed, seed % 2, seed / 2 % 2);
    m.body = program_text();
    if (prog.calls) m.globals = FLOW_FUNCTIONS;
    for (u32 i = 0; i < nkeys; i++) m.keys[i] = keys[i];
    micro_run(&m);
    micro_read(0, out, sizeof(out));
    for (u32 t = 0; t < THREADS; t++) assert_int_equal(out[t], result_of(t));
}

#define FLOWS(name, ...)                                                                                                         \
    static void name(void **state) {                                                                                             \
        (void)state;                                                                                                             \
        static const char *const sets[][6] = {__VA_ARGS__};                                                                      \
        for (u32 i = 0; i < ARRAY_LEN(sets) * 2 || i < 4; i++) run_flow(i + 1, sets[i % ARRAY_LEN(sets)], 6);                    \
    }

FLOWS(stacks, {"sm.diverge=pdom"}, {"sm.diverge=none"}, {"sm.diverge=dual_path"}, {"sm.diverge=frontier"})
FLOWS(free_lanes, {"sm.diverge=its"}, {"sm.diverge=mimd"}, {"sm.diverge=cbarrier"})
FLOWS(splits, {"sm.diverge=dws", "dws.table=2"}, {"sm.diverge=dws", "dws.split=branch"},
      {"sm.diverge=dws", "dws.split=memory", "dws.memory=aggressive", "dws.table=64"},
      {"sm.diverge=dws", "dws.memory=lazy", "dws.meet=bypass"}, {"sm.diverge=dws", "dws.memory=aggressive", "dws.meet=bypass"})
FLOWS(woven, {"sm.diverge=interweave"}, {"sm.diverge=interweave", "interweave.with=branches"},
      {"sm.diverge=interweave", "interweave.with=warps", "interweave.lanes=xor", "sm.schedulers=2", "sm.subcores=1"},
      {"sm.diverge=interweave", "interweave.lanes=mirror", "sm.alu.width=8", "sm.pipe=one"})
FLOWS(compacted, {"sm.diverge=tbc"}, {"sm.diverge=tbc", "tbc.form_cy=0"}, {"sm.diverge=tbc", "tbc.form_cy=5", "sm.alu.width=8"},
      {"sm.diverge=tbc", "sm.warp_scale=hybrid", "sm.squeeze=fewest", "sm.alu.width=8"})
FLOWS(large, {"sm.diverge=lwm"}, {"sm.diverge=lwm", "lwm.warps=1"}, {"sm.diverge=lwm", "lwm.warps=3", "sm.sched=two_level"},
      {"sm.diverge=lwm", "lwm.warps=64", "sm.schedulers=1", "sm.subcores=1"})
FLOWS(formed, {"sm.diverge=dwf"}, {"sm.diverge=dwf", "dwf.policy=pdom", "dwf.pool=8"},
      {"sm.diverge=dwf", "dwf.policy=sched", "dwf.lanes=free"}, {"sm.diverge=dwf", "dwf.conflict=move", "sm.alu.width=8"})
FLOWS(ganged, {"sm.diverge=vws", "vws.memory=group"}, {"sm.diverge=vws", "vws.memory=all", "vws.control=all"},
      {"sm.diverge=vws", "vws.gangs=2", "vws.slice=2"},
      {"sm.diverge=vws", "vws.gang=inelastic", "vws.memory=group", "sm.pipe=one"})

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stacks),    cmocka_unit_test(free_lanes), cmocka_unit_test(splits), cmocka_unit_test(woven),
        cmocka_unit_test(compacted), cmocka_unit_test(large),      cmocka_unit_test(formed), cmocka_unit_test(ganged),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
