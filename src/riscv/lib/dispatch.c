/* Groups to cores, warps and hardware threads, and items of a group one after the other.
 *
 * group: a hardware thread runs whole groups, n of equation 3.1 counts them. lanes: a core runs one group at
 * a time, item i on thread i mod T. Every warp of a core comes here with all lanes on; every branch goes one
 * way for a whole warp, or is behind a mask that makes it so, because nothing here is seen by the pass that
 * places split and join. */
#ifdef __riscv /* the host's compilers see nothing of this file */
#include "items.h"
#include "variant.h"

#define CORE(id, word) (*(volatile u32 *)(LAUNCH(LAUNCH_CORE_AT) + (id) * CORE_B + (word)))

/* Here, not in variant.h: instructions are the runtime's by the file that their lines name */
#define TEXT_(...) #__VA_ARGS__
#define TEXT(...)  TEXT_(__VA_ARGS__)

#define CSR_READER(name, number)                                                                                                 \
    static inline u32 csr_##name(void) {                                                                                         \
        u32 x;                                                                                                                   \
        __asm__ volatile("csrr %0, " TEXT(number) : "=r"(x));                                                                    \
        return x;                                                                                                                \
    }
CSR_READER(lane, CSR_LANE)
CSR_READER(mask, CSR_MASK)
CSR_READER(warp, CSR_WARP)
CSR_READER(core, CSR_CORE)
CSR_READER(hart, CSR_HART)
CSR_READER(lanes, CSR_NLANES)
CSR_READER(warps, CSR_NWARPS)
CSR_READER(cores, CSR_NCORES)

/* clang-format off */
static inline void tmc(u32 mask) { __asm__ volatile(TEXT(TMC(%0)) ::"r"(mask) : "memory"); }
/* Lanes where it holds (1, else 0) stay on; all that are, when it holds for none */
static inline void pred(u32 holds) {
#ifdef HEDDLE_V3
    __asm__ volatile(TEXT(PRED(%0, %1)) ::"r"(holds), "r"(csr_mask()) : "memory");
#else
    __asm__ volatile(TEXT(PRED(%0)) ::"r"(holds) : "memory");
#endif
}
/* All warps of the core */
static inline void meet(void) { __asm__ volatile("fence\n\t" TEXT(BAR(%0, %1)) ::"r"(0), "r"(csr_warps()) : "memory"); }
/* clang-format on */
static inline u32 take_next(void) {
    u32 x;
    __asm__ volatile("amoadd.w %0, %2, (%1)" : "=r"(x) : "r"(LAUNCH_AT + LAUNCH_NEXT), "r"(1) : "memory");
    return x;
}

u32 heddle_item_start(void), heddle_item_resume(void);

/* Runs an item up to a barrier or its end. It gives no register back as it was but sp: whoever wants to keep
 * something says so here, once for all items, and barriers need not. */
static inline u32 run_item(u32 (*go)(void)) {
    register u32 result __asm__("a0");
    __asm__ volatile("jalr %1"
                     : "=r"(result)
                     : "r"(go)
                     : "memory", "ra", "t0", "t1", "t2", "t3", "t4", "t5", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "s0", "s1",
                       "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "ft0", "ft1", "ft2", "ft3", "ft4", "ft5",
                       "ft6", "ft7", "ft8", "ft9", "ft10", "ft11", "fa0", "fa1", "fa2", "fa3", "fa4", "fa5", "fa6", "fa7", "fs0",
                       "fs1", "fs2", "fs3", "fs4", "fs5", "fs6", "fs7", "fs8", "fs9", "fs10", "fs11");
    return result;
}

static inline u32 least(u32 a, u32 b) { return a < b ? a : b; }

/* --- the items of a group */

static void set_group(u32 group) {
    for (u32 i = 0, rest = group; i < 12; i += 4) {
        u32 n = LAUNCH(LAUNCH_COUNT + i), above = rest / n, here = rest - above * n;
        ITEM(ITEM_GROUP + i) = here;
        ITEM(ITEM_FIRST + i) = here * LAUNCH(LAUNCH_SIZE + i);
        rest = above;
    }
}

static u32 slots(void) {
    u32 hart = csr_hart();
    return LAUNCH(LAUNCH_SLOTS_AT) + hart * LAUNCH(LAUNCH_SLOTS_B) + LAUNCH(LAUNCH_SLOT_B);
}

/* group: until no item of the thread's group waits at a barrier. Either all wait or none: that is OpenCL's
 * rule. */
static void coroutines_of_thread(void) {
    u32 waiting;
    u32 (*go)(void) = heddle_item_start;
    do {
        u32 slot = slots();
        waiting = 0;
        heddle_item_first();
        do {
            ITEM(ITEM_SLOT) = slot;
            waiting |= run_item(go);
            slot += LAUNCH(LAUNCH_SLOT_B);
        } while (heddle_item_next());
        go = heddle_item_resume;
    } while (waiting);
}

/* lanes: the same for a core. Threads without an item in the last round are off while it lasts, and whether
 * items wait is asked of all: three words in turn, so that one can be cleared while none reads it. */
static void coroutines_of_core(void) {
    u32 core = csr_core(), all = csr_mask(), phase = 0, more;
    u32 (*go)(void) = heddle_item_start;
    do {
        u32 slot = slots(), after = phase == 8 ? 0 : phase + 4;
        CORE(core, CORE_MORE + after) = 0;
        heddle_round_first();
        do {
            u32 has = heddle_round_has();
            pred(has);
            if (has) {
                ITEM(ITEM_SLOT) = slot;
                if (run_item(go)) CORE(core, CORE_MORE + phase) = 1;
            }
            tmc(all);
            slot += LAUNCH(LAUNCH_SLOT_B);
        } while (heddle_round_next());
        meet();
        more = CORE(core, CORE_MORE + phase);
        phase = after;
        go = heddle_item_resume;
    } while (more);
}

static void run_group(u32 group) {
    void (*entry)(void) = (void (*)(void))LAUNCH(LAUNCH_ENTRY);
    set_group(group);
    if (LAUNCH(LAUNCH_COROUTINES)) {
        coroutines_of_thread();
    } else {
        heddle_item_first();
        entry();
    }
}

/* A core has one group: a next one may find its __local objects as this one leaves them, but not sooner */
static void run_group_on_core(u32 group) {
    void (*entry)(void) = (void (*)(void))LAUNCH(LAUNCH_ENTRY);
    set_group(group);
    if (LAUNCH(LAUNCH_COROUTINES)) {
        coroutines_of_core();
    } else {
        heddle_round_first();
        entry();
    }
    meet();
}

/* --- groups to hardware threads: equation 3.1 */

struct share {
    u32 first, count;
};

/* As many cores as can be filled, at least one; the last of them takes what is left. In 2021 the runtime
 * looked for the machine's last core instead: what is left is lost when that one has no work. */
static struct share share_of_core(u32 n, u32 a_core, u32 core, u32 cores, u32 bug) {
    u32 active = least(n / a_core ? n / a_core : 1, cores), each = n / active;
    struct share s = {core * each, core < active ? each : 0};
    if (core == (bug ? cores : active) - 1) s.count += n - active * each;
    return s;
}

static void static_groups(u32 bug) {
    u32 lanes = csr_lanes(), warps = csr_warps(), warp = csr_warp(), lane = csr_lane();
    struct share s = share_of_core(LAUNCH(LAUNCH_GROUPS), lanes * warps, csr_core(), csr_cores(), bug);
    u32 full = s.count / lanes, rest = s.count - full * lanes; /* warps' worth of groups, and what fills no warp */
    u32 each = full / warps, more = full - each * warps, mine = each + (warp < more);
    u32 group = s.first + (each * warp + least(warp, more)) * lanes + lane * mine;
    for (u32 i = 0; i < mine; i++) run_group(group + i);
    if (warp == 0 && rest) {
        tmc((1u << rest) - 1);
        run_group((bug ? 0 : s.first) + s.count - rest + lane); /* in 2021 without the core's first */
        tmc(-1);
    }
}

static void dynamic_groups(void) {
    u32 all = csr_mask();
    for (;;) {
        u32 group = take_next(), has = group < LAUNCH(LAUNCH_GROUPS);
        pred(has);
        if (!has) break;
        run_group(group);
    }
    tmc(all);
}

/* --- groups to cores: evenly, or as they come */

static void static_cores(void) {
    u32 n = LAUNCH(LAUNCH_GROUPS), cores = least(n, csr_cores()), core = csr_core(), each = n / cores, more = n - each * cores;
    u32 first = core * each + least(core, more), mine = core < cores ? each + (core < more) : 0;
    for (u32 i = 0; i < mine; i++) run_group_on_core(first + i);
}

static void dynamic_cores(void) {
    u32 core = csr_core(), group;
    for (;;) {
        if (csr_warp() == 0) {
            tmc(1);
            CORE(core, CORE_NEXT) = take_next();
            tmc(-1);
        }
        meet();
        group = CORE(core, CORE_NEXT);
        meet();
        if (group >= LAUNCH(LAUNCH_GROUPS)) break;
        run_group_on_core(group);
    }
}

void heddle_dispatch(void) {
    u32 how = LAUNCH(LAUNCH_DISTRIBUTION);
    ITEM(ITEM_THREADS) = csr_lanes() * csr_warps();
    if (LAUNCH(LAUNCH_MAP) == MAP_LANES) {
        if (how == DISTRIBUTION_DYNAMIC) dynamic_cores();
        else static_cores();
    } else {
        if (how == DISTRIBUTION_DYNAMIC) dynamic_groups();
        else static_groups(how == DISTRIBUTION_STATIC_2021);
        meet(); /* as the runtime of 2021 closes */
    }
}

#endif
