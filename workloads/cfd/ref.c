/* cfd: two rounds in double precision, face by face. The kernel adds in single precision, hence a
 * tolerance. */
#include <stdlib.h>

#include "../ref.h"

#define FACES  4
#define ROUNDS 2

enum { DENSITY, MX, MY, MZ, ENERGY, VARS };
struct state {
    double v[VARS];
};

static double pressure(const struct state *s) {
    double squares = s->v[MX] * s->v[MX] + s->v[MY] * s->v[MY] + s->v[MZ] * s->v[MZ];
    return 0.4 * (s->v[ENERGY] - 0.5 * squares / s->v[DENSITY]);
}

static double sound(const struct state *s) { return sqrt(1.4 * pressure(s) / s->v[DENSITY]); }

static double speed(const struct state *s) {
    return sqrt(s->v[MX] * s->v[MX] + s->v[MY] * s->v[MY] + s->v[MZ] * s->v[MZ]) / s->v[DENSITY];
}

/* Adds what flows through one face with normal n to `flux` */
static void through_face(const struct state *a, const struct state *b, const double n[3], double flux[VARS]) {
    double pa = pressure(a), pb = pressure(b);
    double damp = 0.1 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]) * (sound(a) + sound(b));
    double normal_speed = 0;
    for (u32 k = 0; k < 3; k++) normal_speed += 0.5 * n[k] * (a->v[MX + k] / a->v[DENSITY] + b->v[MX + k] / b->v[DENSITY]);
    for (u32 v = 0; v < VARS; v++) {
        double carried = a->v[v] + b->v[v] + (v == ENERGY ? pa + pb : 0);
        flux[v] += 0.5 * normal_speed * carried + damp * (b->v[v] - a->v[v]);
    }
    for (u32 k = 0; k < 3; k++) flux[MX + k] += 0.5 * (pa + pb) * n[k];
}

bool workload_ref_cfd(struct workload_buffers *b) {
    static const struct state far_away = {{1.4, 0.14, 0, 0, 2.6}};
    u64 cells = ref_count(b, "density");
    float *density = ref_f32(b, "density", cells), *momentum = ref_f32(b, "momentum", 3 * cells);
    float *energy = ref_f32(b, "energy", cells);
    const float *area = ref_f32(b, "area", cells), *normal = ref_f32(b, "normal", 3 * FACES * cells);
    const u32 *neighbour = ref_u32(b, "neighbour", FACES * cells);
    u64 beyond = ref_param(b, "beyond");
    if (!cells || !density || !momentum || !energy || !area || !normal || !neighbour) return false;
    for (u64 i = 0; i < FACES * cells; i++)
        if (neighbour[i] >= cells + beyond) return false;

    struct state *now = base_alloc(cells * sizeof *now), *next = base_alloc(cells * sizeof *next);
    for (u64 i = 0; i < cells; i++)
        now[i] = (struct state){{density[i], momentum[i], momentum[cells + i], momentum[2 * cells + i], energy[i]}};
    for (u32 round = 0; round < ROUNDS; round++) {
        for (u64 i = 0; i < cells; i++) {
            double flux[VARS] = {0};
            for (u64 face = 0; face < FACES; face++) {
                u64 other = neighbour[face * cells + i];
                double n[3];
                for (u64 k = 0; k < 3; k++) n[k] = normal[(3 * face + k) * cells + i];
                if (other < cells) through_face(&now[i], &now[other], n, flux);
                else if (other - cells >= beyond / 2) through_face(&now[i], &far_away, n, flux);
                else
                    for (u32 k = 0; k < 3; k++) flux[MX + k] += pressure(&now[i]) * n[k];
            }
            double factor = 0.5 / (sqrt((double)area[i]) * (speed(&now[i]) + sound(&now[i])));
            for (u32 v = 0; v < VARS; v++) next[i].v[v] = now[i].v[v] + factor * flux[v];
        }
        struct state *t = now;
        now = next;
        next = t;
    }
    for (u64 i = 0; i < cells; i++) {
        density[i] = (float)now[i].v[DENSITY];
        for (u64 k = 0; k < 3; k++) momentum[k * cells + i] = (float)now[i].v[MX + k];
        energy[i] = (float)now[i].v[ENERGY];
    }
    free(now);
    free(next);
    return true;
}
