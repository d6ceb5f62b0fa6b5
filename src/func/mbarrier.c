/* mbarriers: 64-bit words in shared memory that count arrivals and bytes, phase after phase; and the bulk
 * copies that signal them.
 *
 * A phase is complete when no arrival is pending and no bytes are missing; the next one then starts with the
 * expected arrivals. Copies are done at once, so bytes are complete before anyone can wait for them. The
 * layout of the word is opaque to programs. */
#include "func/func.h"

#include <string.h>

struct mbar {
    u32 expected, pending; /* arrivals a phase; still missing in this one. 20 bits each */
    i32 bytes;             /* expected and not yet complete; 21 bits and sign */
    u32 phase;             /* its lowest bit */
};

static struct mbar unpack(u64 word) {
    return (struct mbar){(u32)word & 0xFFFFF, (u32)(word >> 20) & 0xFFFFF, (i32)((i64)(word << 2) >> 42), (u32)(word >> 62) & 1};
}

static u64 pack(struct mbar b) {
    return (b.expected & 0xFFFFF) | (u64)(b.pending & 0xFFFFF) << 20 | ((u64)(u32)b.bytes & 0x3FFFFF) << 40 |
           (u64)(b.phase & 1) << 62;
}

static u64 opnd_or_zero(const struct warp *w, const struct group *g, const struct opnd *o, u32 lane) {
    return o->absent ? 0 : opnd_read(w, g, o, lane);
}

static void lane_result(const struct warp *w, struct group *g, const struct opnd *o, u32 lane, u64 v) {
    if (o->absent) return;
    if (o->in == OPND_IN_PRED) g->preds[o->off] = (g->preds[o->off] & ~(1ull << lane)) | (v & 1) << lane;
    else opnd_write(w, g, o, lane, v);
}

static u64 lane_address(const struct warp *w, const struct group *g, const struct opnd *base, i64 off, u32 lane) {
    u64 a = opnd_or_zero(w, g, base, lane) + (u64)off;
    return !base->absent && base->rows == 1 ? (u32)a : a;
}

static void turn_phase(struct mbar *b) {
    if (b->pending || b->bytes) return;
    b->phase ^= 1;
    b->pending = b->expected;
}

/* False when more arrive than are expected */
static bool arrive(struct mbar *b, u32 count, u32 bytes, bool drop) {
    if (count > b->pending) return false;
    b->bytes = (i32)((u32)b->bytes + bytes);
    b->pending -= count;
    if (drop) b->expected -= count;
    turn_phase(b);
    return true;
}

/* The barrier after the operation; false for a misuse */
static bool apply(struct mbar *b, enum mbar_op op, u32 x, bool has_x) {
    switch (op) {
    case MBAR_INIT: *b = (struct mbar){x, x, 0, 0}; return x != 0;
    case MBAR_INVAL: *b = (struct mbar){0}; return true;
    case MBAR_EXPECT: b->bytes = (i32)((u32)b->bytes + x); return true;
    case MBAR_COMPLETE:
        b->bytes = (i32)((u32)b->bytes - x);
        turn_phase(b);
        return true;
    case MBAR_ARRIVE_EXPECT:
    case MBAR_DROP_EXPECT: return arrive(b, 1, x, op == MBAR_DROP_EXPECT);
    default: return arrive(b, has_x ? x : 1, 0, op == MBAR_DROP);
    }
}

static bool update(struct warp *w, struct group *g, const struct inst *in, enum space space, u32 lane, u64 addr, enum mbar_op op,
                   u32 x, bool has_x) {
    u64 word;
    if (!access_lane_load(w, g, in, space, lane, addr, &word, 8)) return false;
    struct mbar b = unpack(word);
    if ((op != MBAR_INIT && !b.expected) || !apply(&b, op, x, has_x)) {
        fault_at(w, in, (int)lane, "mbarrier at 0x%llx: %s", (unsigned long long)addr,
                 op == MBAR_INIT ? "a count of 0"
                 : b.expected    ? "more arrivals than it expects"
                                 : "it was not initialised");
        return false;
    }
    lane_result(w, g, &in->d, lane, word);
    word = pack(b);
    return access_lane_store(w, g, in, space, lane, addr, &word, 8);
}

static bool wait(struct warp *w, struct group *g, const struct inst *in, u32 lane, u64 addr) {
    u64 word, x = opnd_or_zero(w, g, &in->s[1], lane);
    if (!access_lane_load(w, g, in, (enum space)in->space, lane, addr, &word, 8)) return false;
    u32 phase = in->aux == MBAR_WAIT ? unpack(x).phase : (u32)x & 1;
    lane_result(w, g, &in->d, lane, unpack(word).phase != phase);
    return true;
}

void exec_mbarrier(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    enum mbar_op op = (enum mbar_op)in->aux;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest);
        u64 addr = lane_address(w, g, &in->s[0], in->imm, lane), x = opnd_or_zero(w, g, &in->s[1], lane);
        if (op == MBAR_PENDING) lane_result(w, g, &in->d, lane, unpack(x).pending);
        else if (op == MBAR_WAIT || op == MBAR_WAIT_PARITY
                     ? !wait(w, g, in, lane, addr)
                     : !update(w, g, in, (enum space)in->space, lane, addr, op, (u32)x, !in->s[1].absent))
            return;
    }
}

static bool copy_bulk(struct warp *w, struct group *g, const struct inst *in, u32 lane, u64 to, u64 from, u32 bytes) {
    const struct bulk_info *b = in->info;
    enum space there = b->to_shared ? SPACE_SHARED : SPACE_GLOBAL, here = b->to_shared ? SPACE_GLOBAL : SPACE_SHARED;
    u8 chunk[16];
    for (u32 at = 0; at < bytes; at += 16)
        if (!access_lane_load(w, g, in, here, lane, from + at, chunk, 16) ||
            !access_lane_store(w, g, in, there, lane, to + at, chunk, 16))
            return false;
    return true;
}

void exec_cpbulk(struct warp *w, struct group *g, const struct inst *in, u64 mask) {
    const struct bulk_info *b = in->info;
    for (u64 rest = mask; rest; rest &= rest - 1) {
        u32 lane = (u32)__builtin_ctzll(rest), bytes = (u32)opnd_or_zero(w, g, &in->s[2], lane);
        u64 to = lane_address(w, g, &in->s[0], in->imm, lane), from = lane_address(w, g, &in->s[1], b->from_off, lane);
        if (bytes % 16) {
            fault_at(w, in, (int)lane, "bulk copy of %u bytes, which is not a multiple of 16", bytes);
            return;
        }
        if (!copy_bulk(w, g, in, lane, to, from, bytes)) return;
        if (b->to_shared &&
            !update(w, g, in, SPACE_SHARED, lane, lane_address(w, g, &in->q, b->barrier_off, lane), MBAR_COMPLETE, bytes, true))
            return;
    }
}
