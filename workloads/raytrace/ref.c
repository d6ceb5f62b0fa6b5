/* raytrace: recursion from ray to reflected ray. Bit-exact: single precision throughout, products and sums in
 * the kernel's order, for a ray that just misses in one precision may hit in another. */
#include "../ref.h"

#define DEPTH 4
#define FAR   1e30f

struct vec {
    float x, y, z;
};
struct ray {
    struct vec from, way;
};
struct scene {
    const float (*sphere)[4];
    const float *shine;
    u32 n;
};
struct hit {
    float distance;
    struct vec at, up;
    float colour, mirror;
};

static struct vec scaled(struct vec a, float f) { return (struct vec){a.x * f, a.y * f, a.z * f}; }
static struct vec plus(struct vec a, struct vec b) { return (struct vec){a.x + b.x, a.y + b.y, a.z + b.z}; }
static struct vec minus(struct vec a, struct vec b) { return (struct vec){a.x - b.x, a.y - b.y, a.z - b.z}; }
static struct vec divided(struct vec a, float f) { return (struct vec){a.x / f, a.y / f, a.z / f}; }
static float dot(struct vec a, struct vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static float sphere_distance(const float *s, struct ray r) {
    struct vec to = minus((struct vec){s[0], s[1], s[2]}, r.from);
    float middle = dot(to, r.way), square = s[3] * s[3] - (dot(to, to) - middle * middle);
    if (square < 0) return FAR;
    float root = sqrtf(square);
    if (middle - root > 0.001f) return middle - root;
    return middle + root > 0.001f ? middle + root : FAR;
}

static bool first_hit(const struct scene *s, struct ray r, struct hit *h) {
    u32 which = s->n;
    h->distance = FAR;
    for (u32 i = 0; i < s->n; i++) {
        float t = sphere_distance(s->sphere[i], r);
        if (t < h->distance) h->distance = t, which = i;
    }
    float ground = r.way.y < 0 ? -r.from.y / r.way.y : FAR;
    bool on_ground = ground > 0.001f && ground < h->distance;
    if (on_ground) h->distance = ground;
    if (h->distance >= FAR) return false;
    h->at = plus(r.from, scaled(r.way, h->distance));
    if (on_ground) {
        bool dark = (int)(floorf(h->at.x) + floorf(h->at.z)) & 1;
        h->up = (struct vec){0, 1, 0};
        h->colour = dark ? 0.3f : 0.8f;
        h->mirror = 0.2f;
        return true;
    }
    const float *sphere = s->sphere[which];
    h->up = divided(minus(h->at, (struct vec){sphere[0], sphere[1], sphere[2]}), sphere[3]);
    h->colour = 0.8f;
    h->mirror = s->shine[which];
    return true;
}

static float lit(const struct scene *s, const struct hit *h) {
    struct vec way = minus((struct vec){-5, 9, -4}, h->at);
    float range = sqrtf(dot(way, way));
    way = divided(way, range);
    float facing = dot(h->up, way);
    if (facing <= 0) return 0;
    for (u32 i = 0; i < s->n; i++)
        if (sphere_distance(s->sphere[i], (struct ray){h->at, way}) < range) return 0;
    return facing;
}

/* Adds what comes along the ray, with this weight, to `light` */
static void follow(const struct scene *s, struct ray r, u32 depth, float weight, float *light) {
    struct hit h;
    if (!first_hit(s, r, &h)) {
        *light += weight * (0.3f + 0.3f * r.way.y);
        return;
    }
    *light += weight * ((1 - h.mirror) * h.colour * (0.1f + 0.9f * lit(s, &h)));
    weight *= h.mirror;
    if (weight < 0.01f || depth == DEPTH) return;
    follow(s, (struct ray){h.at, minus(r.way, scaled(h.up, 2 * dot(r.way, h.up)))}, depth + 1, weight, light);
}

bool workload_ref_raytrace(struct workload_buffers *b) {
    u32 n = ref_side(b, "picture");
    struct scene s = {.n = (u32)ref_count(b, "shine")};
    s.sphere = (const float(*)[4])ref_f32(b, "spheres", 4 * (u64)s.n);
    s.shine = ref_f32(b, "shine", s.n);
    float *picture = ref_f32(b, "picture", (u64)n * n);
    if (!n || !s.sphere || !s.shine || !picture) return false;
    for (u32 y = 0; y < n; y++)
        for (u32 x = 0; x < n; x++) {
            struct vec way = {2.0f * (float)x / (float)n - 1, 0.8f - 2.0f * (float)y / (float)n, 1.5f};
            way = divided(way, sqrtf(dot(way, way)));
            float light = 0;
            follow(&s, (struct ray){{0, 2, -6}, way}, 1, 1, &light);
            picture[(u64)y * n + x] = light;
        }
    return true;
}
