/* RISC-V: floats with rounding and flags, CSRs, branches and jumps, atomics with reservations, traps.
 *
 * Whatever several lanes would say differently and only one answer is possible for (a branch under
 * RV_SPLIT, a CSR that a warp has once) is asked of the leading lane: the lowest one that is on, in Vortex
 * v3 the highest. Not modelled: traps into the program (mtvec), interrupts, privilege; what would trap
 * ends the run with a diagnosis. */
#include "func/rowops.h"
#include "func/rv.h"

/* --- floats */

/* The first n lanes of an operand; those that take no part repeat the first that does, since flags are of all
 * n */
static const u32 *meant(const struct warp *w, const struct group *g, const struct opnd *o, u32 slab, u32 mask, u32 n, u32 *t) {
    if (o->absent) return NULL;
    const u32 *row = (const u32 *)(const void *)opnd_row(w, g, o, slab, w->launch->k->pool);
    if (mask == (u32)((1ull << n) - 1)) return row;
    u32 first = row[__builtin_ctz(mask)];
    for (u32 l = 0; l < n; l++) t[l] = first;
    if (n == FEW_LANES)
        for (u32 rest = mask; rest; rest &= rest - 1) t[__builtin_ctz(rest)] = row[__builtin_ctz(rest)];
    else w->launch->ops->blend32(t, row, mask);
    return t;
}

/* Thirty-two lanes, or the first few where no others take part */
static void float_slab(struct warp *w, struct group *g, const struct inst *in, u32 slab, u32 mask, u32 mode) {
    _Alignas(64) u32 t[SLAB_LANES], x[3][SLAB_LANES];
    const u32 *rows[3];
    u32 n = mask >> FEW_LANES ? SLAB_LANES : FEW_LANES,
        *to = in->d.absent ? t : (u32 *)(void *)opnd_row(w, g, &in->d, slab, NULL);
    bool whole = !((u32)(w->live >> 32 * slab) & ~mask); /* no live lane is elsewhere: straight into the row */
    for (u32 i = 0; i < 3; i++) rows[i] = meant(w, g, &in->s[i], slab, mask, n, x[i]);
    in->lane(whole ? to : t, rows[0], rows[1], rows[2], &((struct rv_warp *)w->state)->fflags,
             mode | (n == FEW_LANES ? RV_FEW : 0));
    if (whole || in->d.absent) return;
    if (n == FEW_LANES)
        for (u32 rest = mask; rest; rest &= rest - 1) to[__builtin_ctz(rest)] = t[__builtin_ctz(rest)];
    else w->launch->ops->blend32(to, t, mask);
}

void exec_rv_float(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 mode = in->aux == RV_DYN ? ((struct rv_warp *)w->state)->frm : in->aux;
    if (mode > RV_RMM) {
        fault_at(w, in, __builtin_ctzll(mask), "illegal instruction: the rounding mode in frm is %u, which is none", mode);
        return;
    }
    for (u32 s = 0; s < w->nslabs; s++)
        if ((u32)(mask >> 32 * s)) float_slab(w, g, in, s, (u32)(mask >> 32 * s), mode);
}

/* --- CSRs */

static u64 core_retired(const struct cta *c, bool lanes) {
    u64 n = 0;
    for (u32 i = 0; i < c->nwarps; i++) n += lanes ? c->warps[i].retired_lanes : c->warps[i].retired;
    return n;
}

static u64 cycles_of(const struct warp *w) { return w->step ? w->step->clock : core_retired(w->cta, false); }

static u32 running_warps(const struct cta *c) {
    u32 m = 0;
    for (u32 i = 0; i < c->nwarps && i < 32; i++) m |= (u32)(c->warps[i].live != 0) << i;
    return m;
}

static u32 csr_of_core(const struct warp *w, enum rv_csr_kind kind) {
    const struct launch *l = w->launch;
    bool lanes = rv_of(w)->variant == RV_2021;
    switch (kind) {
    case RV_CSR_WARP: return w->id;
    case RV_CSR_GLOBAL_WARP: return w->cta->index[0] * w->cta->nwarps + w->id;
    case RV_CSR_CORE: return w->cta->index[0];
    case RV_CSR_MASK: return (u32)warp_enabled(w);
    case RV_CSR_WARPS: return running_warps(w->cta);
    case RV_CSR_NLANES: return l->warp_size;
    case RV_CSR_NWARPS: return w->cta->nwarps;
    case RV_CSR_NCORES: return l->grid[0];
    case RV_CSR_CYCLE: return (u32)cycles_of(w);
    case RV_CSR_CYCLE_HI: return (u32)(cycles_of(w) >> 32);
    case RV_CSR_INSTRET: return (u32)core_retired(w->cta, lanes);
    case RV_CSR_INSTRET_HI: return (u32)(core_retired(w->cta, lanes) >> 32);
    case RV_CSR_MISA: return rv_of(w)->misa;
    default: return 0;
    }
}

/* --- the machine's counters */

static struct rv_perf *perf_of(const struct warp *w) {
    struct rv_shared *s = rv_of(w)->shared;
    while (s->perf.n <= w->cta->linear) VEC_PUSH(&s->perf, (struct rv_perf){0});
    return &s->perf.at[w->cta->linear];
}

static u64 counted(const struct launch *l, const struct rv_perf *p, u32 which) {
    return l->perf && which < RV_PERFS ? l->perf(l->perf_of, p->sm, which) : 0;
}

void rv_perf_begin(const struct warp *w) {
    struct rv_perf *p = perf_of(w);
    p->sm = w->launch->smid;
    memset(p->from, 0, sizeof(p->from));
    if (p->reset_lock) return;
    memset(p->kept, 0, sizeof(p->kept));
    p->lock = 0;
}

void rv_perf_end(const struct launch *l, struct rv_shared *s) {
    for (u32 i = 0; i < s->perf.n; i++)
        for (u32 k = 0; k < RV_PERFS && !s->perf.at[i].lock; k++)
            s->perf.at[i].kept[k] += counted(l, &s->perf.at[i], k) - (l->perf ? s->perf.at[i].from[k] : 0);
}

static void perf_lock(const struct warp *w, u32 lock) {
    const struct launch *l = w->launch;
    struct rv_perf *p = perf_of(w);
    for (u32 k = 0; k < RV_PERFS && lock != p->lock; k++) {
        if (lock) p->kept[k] += counted(l, p, k) - p->from[k];
        else p->from[k] = counted(l, p, k);
    }
    p->lock = lock;
}

static u32 perf_read(const struct warp *w, u32 number) {
    const struct rv_perf *p = perf_of(w);
    u32 which = (number & 127) - 3;
    u64 v = which >= RV_PERFS ? 0 : p->kept[which] + (p->lock ? 0 : counted(w->launch, p, which) - p->from[which]);
    return (u32)(number & 128 ? v >> 32 : v);
}

static u32 csr_read(const struct warp *w, u32 lane, u32 csr) {
    const struct rv_warp *state = w->state;
    u32 thread = w->id * w->launch->warp_size + lane;
    switch ((enum rv_csr_kind)(csr & 255)) {
    case RV_CSR_FFLAGS: return state->fflags;
    case RV_CSR_FRM: return state->frm;
    case RV_CSR_FCSR: return state->frm << 5 | state->fflags;
    case RV_CSR_LANE: return lane;
    case RV_CSR_THREAD: return thread;
    case RV_CSR_HART: return w->cta->index[0] * w->cta->nwarps * w->launch->warp_size + thread;
    case RV_CSR_STORED: return state->csr[csr >> 8 & 255];
    case RV_CSR_PERF: return perf_read(w, csr >> 8 & 255);
    case RV_CSR_PERF_LOCK: return perf_of(w)->lock;
    case RV_CSR_PERF_RESET_LOCK: return perf_of(w)->reset_lock;
    default: return csr_of_core(w, (enum rv_csr_kind)(csr & 255));
    }
}

static void csr_write(struct warp *w, u32 csr, u32 v) {
    struct rv_warp *state = w->state;
    switch ((enum rv_csr_kind)(csr & 255)) {
    case RV_CSR_FFLAGS: state->fflags = v & 31; break;
    case RV_CSR_FRM: state->frm = v & 7; break;
    case RV_CSR_FCSR: state->fflags = v & 31, state->frm = v >> 5 & 7; break;
    case RV_CSR_STORED: state->csr[csr >> 8 & 255] = v; break;
    case RV_CSR_PERF_LOCK: perf_lock(w, v & 1); break;
    case RV_CSR_PERF_RESET_LOCK: perf_of(w)->reset_lock = v & 1; break;
    case RV_CSR_TEXTURE: rv_tex_state(w, csr >> 8, v); break;
    default: break;
    }
}

void exec_rv_csr(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 lead = rv_leader(w, mask), operand = (u32)opnd_read(w, g, &in->s[0], lead), was = csr_read(w, lead, in->aux);
    for (u64 rest = mask; rest && !in->d.absent; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        opnd_write(w, g, &in->d, lane, csr_read(w, lane, in->aux));
    }
    if (!(in->imm & RV_CSR_WRITES)) return;
    u32 use = (u32)in->imm & 3;
    csr_write(w, in->aux, use == RV_CSR_SWAP ? operand : use == RV_CSR_SET ? was | operand : was & ~operand);
}

/* Sees how many instructions ran before it */
void exec_rv_counter(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    exec_rv_csr(w, g, in, mask);
    g->pc++;
}

/* --- branches and jumps */

static u64 holds(const struct warp *w, const struct group *g, const struct inst *in) {
    const u8 *pool = w->launch->k->pool;
    u64 taken = 0;
    for (u32 s = 0; s < w->nslabs; s++) {
        u32 p = 0, q = 0;
        in->lane(&p, opnd_row(w, g, &in->s[0], s, pool), opnd_row(w, g, &in->s[1], s, pool), NULL, &q, in->aux);
        taken |= (u64)p << 32 * s;
    }
    return taken & g->mask;
}

static bool leaves_text(struct warp *w, struct group *g, const struct inst *in, u32 lane) {
    if (in->target != NONE) return false;
    fault_at(w, in, (int)lane, "jump to 0x%llx, outside of the program's text (0x%llx to 0x%llx)",
             (unsigned long long)(u32)in->imm, (unsigned long long)rv_of(w)->text_at,
             (unsigned long long)(rv_of(w)->text_at + 4ull * rv_of(w)->text_words));
    (void)g;
    return true;
}

/* RV_SPLIT: all go where the leading lane goes */
void exec_rv_branch(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 lead = rv_leader(w, mask);
    if (!(holds(w, g, in) >> lead & 1)) g->pc++;
    else if (!leaves_text(w, g, in, lead)) g->pc = in->target;
}

/* RV_IPDOM: each lane where it wants */
void exec_rv_part(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 taken = holds(w, g, in);
    if (!taken) g->pc++;
    else if (leaves_text(w, g, in, (u32)__builtin_ctzll(taken))) return;
    else if (taken == mask) g->pc = in->target;
    else group_branch(w, g, taken, in->target, in->reconv);
}

static void link(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 next = rv_address(w, (i32)(in - w->launch->k->code) + 1);
    for (u64 rest = mask; rest && !in->d.absent; rest &= rest - 1) opnd_write(w, g, &in->d, (u32)__builtin_ctzll(rest), next);
    if (in->d.absent || in->d.off != RV_RA * ROW_B) return;
    struct rv_warp *state = w->state;
    for (u64 rest = mask & state->guests; rest; rest &= rest - 1) state->guest_calls[__builtin_ctzll(rest)]++;
}

void exec_rv_jal(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (leaves_text(w, g, in, rv_leader(w, mask))) return;
    link(w, g, in, mask);
    g->pc = in->target;
}

/* The pc of an address, or NONE after a fault */
static i32 pc_at(struct warp *w, const struct inst *in, u32 lane, u32 address) {
    const struct rv_kernel *k = rv_of(w);
    u64 at = (u64)address - k->text_at;
    if (address % 4) fault_at(w, in, (int)lane, "jump to 0x%x, which is not a multiple of 4", address);
    else if (at / 4 >= k->text_words)
        fault_at(w, in, (int)lane, "jump to 0x%x, outside of the program's text (0x%llx to 0x%llx)%s", address,
                 (unsigned long long)k->text_at, (unsigned long long)(k->text_at + 4ull * k->text_words),
                 address ? "" : ": a null pointer, or a return address that was overwritten");
    else return (i32)(at / 4);
    return NONE;
}

static u32 jump_target(const struct warp *w, const struct group *g, const struct inst *in, u32 lane) {
    return ((u32)opnd_read(w, g, &in->s[0], lane) + (u32)in->imm) & ~1u;
}

static void jump_together(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 lead = rv_leader(w, mask);
    i32 pc = pc_at(w, in, lead, jump_target(w, g, in, lead));
    if (pc == NONE) return;
    link(w, g, in, mask);
    g->pc = pc;
}

static bool rv_returns(const struct inst *in) { return in->d.absent && in->s[0].off == RV_RA * ROW_B && !in->imm; }

/* Those of the lanes that return, which return from a function they did not call. Others that are guests in a
 * function further out have one call less to return from. */
static u64 return_as_guests(struct rv_warp *state, u64 mask) {
    u64 as_guests = 0;
    for (u64 rest = mask & state->guests; rest; rest &= rest - 1) {
        u32 *calls = &state->guest_calls[__builtin_ctzll(rest)];
        if (*calls) --*calls;
        else as_guests |= rest & -rest;
    }
    return as_guests;
}

/* Lanes of one target after the other leave; those of the last stay in g. Lanes that were switched on inside
 * the function return with the leading one of those that called it, as all do on Vortex: they have no return
 * address of their own */
static void jump_apart(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u32 target[MAX_WARP];
    u64 guests = rv_returns(in) ? return_as_guests(w->state, mask) : 0;
    u32 host = guests && guests != mask ? rv_leader(w, mask & ~guests) : MAX_WARP;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        target[lane] = jump_target(w, g, in, host < MAX_WARP && guests >> lane & 1 ? host : lane);
    }
    link(w, g, in, mask);
    for (u64 rest = mask; rest;) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u64 same = 0;
        i32 pc = pc_at(w, in, lane, target[lane]);
        if (pc == NONE) return;
        for (u64 m = rest; m; m &= m - 1)
            if (target[__builtin_ctzll(m)] == target[lane]) same |= m & -m;
        rest &= ~same;
        if (!rest) g->pc = pc;
        else if (rv_returns(in)) group_part_returns(w, g, same, pc);
        else group_part(w, g, same, pc, in->reconv);
        w->launch->divergent += rest && (rest | same) == mask; /* once, however many ways there are */
    }
}

void exec_rv_jalr(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (rv_of(w)->diverge == RV_SPLIT) jump_together(w, g, in, mask);
    else jump_apart(w, g, in, mask);
}

/* RV_IPDOM: a return goes to where all returns of its function meet, and from there to the caller. What is no
 * address to return to is told here, where it is known which return it was; guests need none. */
void exec_rv_return(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct rv_warp *state = w->state;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        bool as_guest = (state->guests >> lane & 1) && !state->guest_calls[lane];
        if (!as_guest && pc_at(w, in, lane, jump_target(w, g, in, lane)) == NONE) return;
    }
    g->pc = in->target;
}

/* --- the stack of a thread lies at the end of its core's shared memory: an access by sp outside of it */

/* Thirty-two lanes of it; the stacks of lower ones lie higher */
static bool stacks_overrun(struct warp *w, const struct inst *in, const u32 *sp, u32 mask, u32 lane0) {
    const struct launch *l = w->launch;
    u32 stack_b = rv_of(w)->stack_b, thread0 = w->id * l->warp_size + lane0;
    u64 top = l->k->shared_at + l->shared_b, elsewhere = l->k->shared_at - 65536;
    for (u32 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctz(rest), addr = sp[lane] + (u32)in->imm;
        u64 end = top - (u64)(thread0 + lane) * stack_b, low = end - stack_b;
        if (addr >= low || sp[lane] > end || addr < elsewhere) continue;
        fault_at(w, in, (int)(lane0 + lane),
                 "stack overrun: sp is 0x%x and the access at 0x%x, the thread's stack is 0x%llx to 0x%llx (%u bytes)", sp[lane],
                 addr, (unsigned long long)low, (unsigned long long)end, stack_b);
        return true;
    }
    return false;
}

static u64 address_of(const struct warp *w, const struct group *g, const struct inst *in, u32 lane) {
    return (u32)((u32)opnd_read(w, g, &in->s[0], lane) + (u32)in->imm);
}

static bool stack_overrun(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (!rv_of(w)->stack_b) return false;
    for (u32 s = 0; s < w->nslabs; s++) {
        const u8 *row = opnd_row(w, g, &in->s[0], s, w->launch->k->pool);
        if (stacks_overrun(w, in, (const u32 *)(const void *)row, (u32)(mask >> 32 * s), 32 * s)) return true;
    }
    return false;
}

void exec_rv_ldstack(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (!stack_overrun(w, g, in, mask)) exec_ld(w, g, in, mask);
}

/* A load of which nothing is kept, and of lanes alone whose address has memory: a guess may be wrong */
void exec_rv_prefetch(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    u64 there = 0;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        if (memory_host(w->launch->mem, address_of(w, g, in, lane), in->elem_b)) there |= 1ull << lane;
    }
    if (there) exec_ld(w, g, in, there);
}

void exec_rv_ststack(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (!stack_overrun(w, g, in, mask)) exec_rv_st(w, g, in, mask);
}

/* --- reservations: few, and none in most programs */

static u64 hart_of(const struct warp *w, u32 lane) { return (w->cta->linear * w->cta->nwarps + w->id) * MAX_WARP + lane; }

static void unreserve(struct rv_shared *s, u32 i) { s->reserved.at[i] = s->reserved.at[--s->reserved.n]; }

static bool take_reservation(struct rv_shared *s, u64 hart, u64 addr) {
    for (u32 i = 0; i < s->reserved.n; i++)
        if (s->reserved.at[i].hart == hart) {
            bool same = s->reserved.at[i].addr == addr;
            unreserve(s, i);
            return same;
        }
    return false;
}

/* A word was written */
static void break_reservations(struct rv_shared *s, u64 addr) {
    for (u32 i = 0; i < s->reserved.n;)
        if (s->reserved.at[i].addr == (addr & ~3ull)) unreserve(s, i);
        else i++;
}

/* With time cores see each other's stores at certain moments only (launch.published). What one has stored by
 * sc and the others have not seen is claimed: their lr, which reads the value before, reserves nothing. */
static bool claimed(struct rv_shared *s, const struct warp *w, u64 addr) {
    const u64 *now = w->launch->published;
    bool found = false;
    for (u32 i = 0; now && i < s->claims.n;)
        if (s->claims.at[i].published != *now) s->claims.at[i] = s->claims.at[--s->claims.n];
        else {
            found = found || (s->claims.at[i].addr == addr && s->claims.at[i].core != w->cta->linear);
            i++;
        }
    return found;
}

static void claim(struct rv_shared *s, const struct warp *w, u64 addr) {
    const u64 *now = w->launch->published;
    if (now) VEC_PUSH(&s->claims, ((struct rv_claim){addr, w->cta->linear, *now}));
}

static void written(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct rv_shared *s = rv_of(w)->shared;
    for (u64 rest = s->reserved.n ? mask : 0; rest; rest &= rest - 1) {
        u64 addr = address_of(w, g, in, (u32)__builtin_ctzll(rest)), last = addr + in->elem_b - 1;
        break_reservations(s, addr);
        if (last / 4 != addr / 4) break_reservations(s, last);
    }
}

void exec_rv_st(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    if (rv_of(w)->shared->reserved.n) written(w, g, in, mask);
    exec_st(w, g, in, mask);
}

void exec_rv_amo(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    written(w, g, in, mask);
    exec_atom(w, g, in, mask);
}

void exec_rv_lr(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct rv_shared *s = rv_of(w)->shared;
    for (u64 rest = mask; rest; rest &= rest - 1) { /* before the address register may be overwritten */
        u32 lane = (u32)__builtin_ctzll(rest);
        struct rv_reservation r = {hart_of(w, lane), address_of(w, g, in, lane)};
        take_reservation(s, r.hart, 0);
        if (!claimed(s, w, r.addr)) VEC_PUSH(&s->reserved, r);
    }
    exec_ld(w, g, in, mask);
}

/* Lane by lane, in order: of lanes that want the same word the first gets it */
void exec_rv_sc(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct rv_shared *s = rv_of(w)->shared;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest), word = (u32)opnd_read(w, g, &in->s[1], lane);
        u64 addr = address_of(w, g, in, lane);
        bool mine = take_reservation(s, hart_of(w, lane), addr);
        if (mine || addr % 4) {
            break_reservations(s, addr);
            if (!access_lane_store(w, g, in, SPACE_GENERIC, lane, addr, &word, 4)) return;
            claim(s, w, addr);
        }
        opnd_write(w, g, &in->d, lane, !mine);
    }
}

/* --- the ways out */

/* Linux's exit when a7 says so (conformance tests), else Vortex's: the status is in gp */
void exec_rv_ecall(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    static const struct opnd gp = {.in = OPND_IN_REG, .rows = 1, .off = RV_GP * ROW_B},
                             a0 = {.in = OPND_IN_REG, .rows = 1, .off = RV_A0 * ROW_B},
                             a7 = {.in = OPND_IN_REG, .rows = 1, .off = RV_A7 * ROW_B};
    u32 lead = rv_leader(w, mask), status = (u32)opnd_read(w, g, opnd_read(w, g, &a7, lead) == 93 ? &a0 : &gp, lead);
    if (status == RV_STATUS_BARRIER && rv_of(w)->compiled) {
        fault_at(w, in, (int)lead, "a barrier that not all work-items of a group come to");
        return;
    }
    if (status) {
        fault_at(w, in, (int)lead, "the program ended with status %d (0x%x)", (i32)status, status);
        return;
    }
    for (u32 i = 0; i < w->cta->nwarps; i++) warp_end(&w->cta->warps[i]);
}

void exec_rv_mret(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    i32 pc = pc_at(w, in, rv_leader(w, mask), ((const struct rv_warp *)w->state)->csr[0x41]);
    if (pc != NONE) g->pc = pc;
}

/* Words of the text that are not, as this core sees them, what was decoded */
static void find_rewritten(struct warp *w, const struct group *g, const struct inst *in) {
    const struct rv_kernel *k = rv_of(w);
    struct step *step = w->step;
    w->step = NULL; /* nobody has accessed them */
    for (u32 i = 0; i < k->text_words; i++) {
        u32 word;
        if (!access_lane_load(w, g, in, SPACE_GLOBAL, rv_leader(w, g->mask), k->text_at + 4ull * i, &word, 4)) break;
        if (word != k->words[i]) VEC_PUSH(&w->launch->rewritten, ((struct text_word){i, word}));
    }
    w->step = step;
}

/* From here on the program runs what it has written into its own text: with time the core, which the timing
 * model sees to, without time the machine */
void exec_rv_fencei(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    struct launch *l = w->launch;
    (void)mask;
    g->pc++;
    if (!l->timed) {
        l->k->text->read((struct kernel *)(uintptr_t)l->k, l->mem);
        return;
    }
    find_rewritten(w, g, in);
    if (l->rewritten.n) rv_of(w)->shared->rewritten = true;
}

void exec_rv_fault(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    static const char *const texts[] = {
        [RV_FAULT_ILLEGAL] = "illegal instruction 0x%08llx",
        [RV_FAULT_COMPRESSED] =
            "illegal instruction 0x%04llx: compressed instructions are not modelled (compile with -march=rv32imf)",
        [RV_FAULT_EXTENSION] =
            "illegal instruction 0x%08llx: it is of the A extension, which the machine does not have (isa.riscv.ext = imaf)",
        [RV_FAULT_CSR] = "illegal instruction: there is no CSR 0x%03llx",
        [RV_FAULT_READ_ONLY] = "illegal instruction: CSR 0x%03llx can only be read",
        [RV_FAULT_ROUNDING] = "illegal instruction: its rounding mode is %llu, which is none",
        [RV_FAULT_END] = "the program runs past the end of its text at 0x%llx",
        [RV_FAULT_BREAK] = "the program stopped itself (ebreak)%.0llx",
        [RV_FAULT_TEXTURE] = "tex of texture unit %llu: a core has units 0 and 1",
        [RV_FAULT_TEXTURE_V3] =
            "tex (0x%08llx): a host sets up v3's texture units (DCRs), which nothing here does; programs do on isa.vortex = 2021",
    };
    (void)g;
    fault_at(w, in, (int)rv_leader(w, mask), texts[in->aux], (unsigned long long)in->imm);
}
