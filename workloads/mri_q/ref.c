/* mri_q: the sums in double precision, voxel by voxel. The kernel adds in single precision and takes its
 * sines from approximate instructions, hence a tolerance. */
#include "../ref.h"

struct scan {
    u64 samples, voxels;
    const float *k, *phi, *place; /* planes */
};

static void sum_voxel(const struct scan *s, u64 voxel, float *re, float *im) {
    double sum_re = 0, sum_im = 0;
    for (u64 i = 0; i < s->samples; i++) {
        double turns = 0;
        for (u64 axis = 0; axis < 3; axis++)
            turns += (double)s->k[axis * s->samples + i] * (double)s->place[axis * s->voxels + voxel];
        double strength = pow((double)s->phi[i], 2) + pow((double)s->phi[s->samples + i], 2);
        sum_re += strength * cos(2 * M_PI * turns);
        sum_im += strength * sin(2 * M_PI * turns);
    }
    *re = (float)sum_re;
    *im = (float)sum_im;
}

bool workload_ref_mri_q(struct workload_buffers *b) {
    struct scan s = {ref_count(b, "phi") / 2, ref_count(b, "q") / 2, NULL, NULL, NULL};
    s.k = ref_f32(b, "k", 3 * s.samples);
    s.phi = ref_f32(b, "phi", 2 * s.samples);
    s.place = ref_f32(b, "place", 3 * s.voxels);
    float *q = ref_f32(b, "q", 2 * s.voxels);
    if (!s.k || !s.phi || !s.place || !q) return false;
    for (u64 v = 0; v < s.voxels; v++) sum_voxel(&s, v, &q[v], &q[s.voxels + v]);
    return true;
}
