/* Blocks to SMs: how many an SM holds, and which SM gets the next one.
 *
 * A block that ends at cycle c makes room for one that arrives at c + gpu.cta_launch_cy. Ends are handled in
 * order of (cycle, SM), so the result does not depend on how time is cut. */
#include "gpu/chip.h"

static u32 round_up(u32 x, u32 unit) { return (x + unit - 1) / unit * unit; }

static u32 at_most(u64 have, u64 each) { return each ? (u32)MIN(have / each, (u64)UINT32_MAX) : UINT32_MAX; }

bool occupancy_of(const struct config *c, const struct launch *l, u32 registers, struct occupancy *o, struct strbuf *why) {
    u32 warps = (l->threads + c->warp_size - 1) / c->warp_size;
    u32 regs = round_up(MAX(registers, 1u) * c->warp_size, c->register_unit) * warps;
    u32 shared = l->shared_b || c->shared_reserved_b ? round_up(l->shared_b + c->shared_reserved_b, c->shared_unit) : 0;
    *o = (struct occupancy){.by_ctas = c->ctas,
                            .by_threads = at_most(c->threads, (u64)warps * c->warp_size),
                            .by_warps = at_most(c->warps, warps),
                            .by_registers = at_most(c->registers, regs),
                            .by_shared = at_most(c->shared_b, shared)};
    const struct {
        const char *name;
        u32 n;
    } limits[] = {{"blocks", o->by_ctas},
                  {"threads", o->by_threads},
                  {"warps", o->by_warps},
                  {"registers", o->by_registers},
                  {"shared memory", o->by_shared}};
    o->ctas = UINT32_MAX;
    for (u32 i = 0; i < ARRAY_LEN(limits); i++)
        if (limits[i].n < o->ctas) o->ctas = limits[i].n, o->limiter = limits[i].name;
    o->warps = o->ctas * warps;
    if (o->ctas) return true;
    strbuf_add(why, "error: kernel '%s': a block does not fit on an SM of machine '%s': it needs ", l->k->name, c->machine);
    const struct {
        const char *what;
        u64 need, have;
        u32 fits;
    } all[] = {{"threads", (u64)warps * c->warp_size, c->threads, o->by_threads},
               {"warps", warps, c->warps, o->by_warps},
               {"registers", regs, c->registers, o->by_registers},
               {"bytes of shared memory", shared, c->shared_b, o->by_shared}};
    for (u32 i = 0, n = 0; i < ARRAY_LEN(all); i++)
        if (!all[i].fits)
            strbuf_add(why, "%s%llu %s of %llu", n++ ? ", " : "", (unsigned long long)all[i].need, all[i].what,
                       (unsigned long long)all[i].have);
    strbuf_add(why, "\n");
    return false;
}

static void send(struct run *r, u32 sm, u64 cycle) {
    core_send_block(r->g->cores[sm], cycle, r->next_cta++);
    awake_add(r->g, sm);
    r->free[sm]--;
}

void dispatch_first(struct run *r, u64 cycle) {
    const struct config *c = &r->g->cfg;
    for (u32 i = 0; i < c->sms; i++) r->free[i] = r->occ.ctas;
    if (c->cta_order == CTA_FILL) {
        for (u32 sm = 0; sm < c->sms; sm++)
            for (u32 k = 0; k < r->occ.ctas && r->next_cta < r->end_cta; k++)
                send(r, (sm + c->first_sm) % c->sms, cycle + (u64)k * c->cta_interval_cy);
        return;
    }
    for (u32 k = 0; k < r->occ.ctas; k++)
        for (u32 sm = 0; sm < c->sms && r->next_cta < r->end_cta; sm++)
            send(r, (sm + c->first_sm) % c->sms, cycle + (u64)k * c->cta_interval_cy);
}

/* An SM's ended blocks that have not been handled */
struct ended {
    const struct cta_done *at;
    u32 n;
};

/* The SM with the earliest of them, or NONE */
static i32 earliest(const struct ended *x, u32 sms) {
    i32 best = NONE;
    for (u32 sm = 0; sm < sms; sm++)
        if (x[sm].n && (best == NONE || x[sm].at->cycle < x[best].at->cycle)) best = (i32)sm;
    return best;
}

void dispatch_more(struct run *r) {
    struct ended x[MAX_SMS];
    u32 any = 0, sms = r->g->cfg.sms;
    for (u32 sm = 0; sm < sms; sm++) any += x[sm].n = core_blocks_done(r->g->cores[sm], &x[sm].at);
    if (!any) return;
    for (i32 sm = earliest(x, sms); sm != NONE; sm = earliest(x, sms)) {
        u64 cycle = x[sm].at->cycle;
        x[sm].at++, x[sm].n--;
        r->free[sm]++;
        r->done_ctas++;
        if (r->sampling.keeps) sample_ended(r, &x[sm].at[-1]);
        if (!sample_gap(r)) break;
        if (r->next_cta < r->end_cta) send(r, (u32)sm, cycle + r->g->cfg.cta_launch_cy);
    }
    for (u32 sm = 0; sm < sms; sm++) {
        core_blocks_taken(r->g->cores[sm]);
        r->g->news[sm] &= (u8)~NEWS_ENDED;
    }
}
