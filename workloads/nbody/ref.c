/* nbody: two steps, positions to `other` and back. Each body sums its pulls in ascending order. Bit-exact. */
#include "../ref.h"

#define SOFTENING 0.01f
#define STEP      0.001f

struct body {
    float at[3], mass;
};
struct motion {
    float v[3], unused;
};

static void accelerate(const struct body *bodies, u64 n, u64 i, float sum[3]) {
    for (u64 j = 0; j < n; j++) {
        float d[3], distance2 = SOFTENING;
        for (int k = 2; k >= 0; k--) {
            d[k] = bodies[j].at[k] - bodies[i].at[k];
            distance2 = fmaf(d[k], d[k], distance2);
        }
        float inverse = 1.0f / sqrtf(distance2);
        float pull = bodies[j].mass * (inverse * inverse * inverse);
        for (int k = 0; k < 3; k++) sum[k] = fmaf(pull, d[k], sum[k]);
    }
}

static void advance(const struct body *from, struct body *to, struct motion *motions, u64 n) {
    for (u64 i = 0; i < n; i++) {
        float acceleration[3] = {0, 0, 0};
        accelerate(from, n, i, acceleration);
        to[i].mass = from[i].mass;
        for (int k = 0; k < 3; k++) {
            motions[i].v[k] = fmaf(STEP, acceleration[k], motions[i].v[k]);
            to[i].at[k] = fmaf(STEP, motions[i].v[k], from[i].at[k]);
        }
    }
}

bool workload_ref_nbody(struct workload_buffers *b) {
    u64 count = ref_count(b, "bodies");
    struct body *bodies = (struct body *)ref_f32(b, "bodies", count);
    struct body *other = (struct body *)ref_f32(b, "other", count);
    struct motion *motions = (struct motion *)ref_f32(b, "velocity", count);
    if (!bodies || !other || !motions || count % 4) return false;
    advance(bodies, other, motions, count / 4);
    advance(other, bodies, motions, count / 4);
    return true;
}
