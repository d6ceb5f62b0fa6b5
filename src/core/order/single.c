/* single: an instruction issues when the one before it has written its results.
 *
 * Paper: the pipeline of GPGPU-Sim 2.1.2b, the simulator of Jin (2012), in which a warp has one instruction
 * in flight; also the lecture's machine without a scoreboard (CMU 18-447, lecture 14). Deviation: stores and
 * reductions, which write no register, are waited for until the memory stage has taken them.
 *
 * Where fronts are formed of threads of several warps, a thread has one in flight: fronts with threads of one
 * warp do not wait for each other.
 *
 * N1 no instruction issues before the results of all earlier ones of its threads are there */
#include "core/order_policy.h"

static u64 single_earliest(const struct order_view *v) { return v->loads || v->queued ? UINT64_MAX : v->drain_cy; }

const struct order_policy order_single = {
    .name = "single",
    .doc = "one instruction of a warp in flight: the next issues when the last has written its results",
    .paper = "GPGPU-Sim 2.1.2b, as used by Jin 2012",
    .earliest = single_earliest,
};
