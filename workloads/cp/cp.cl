/* Coulomb potential on a slice of a lattice: every point sums charge / distance over all atoms. The atoms are
 * read from constant memory, all lanes the same one at a time: arithmetic and the special function unit,
 * hardly any memory. */
#define SPACING 0.5f

/* atoms: x, y, z, charge */
__kernel void cp(__constant const float4 *atoms, __global float *potential, uint n, uint n_atoms, float z) {
    uint x = get_global_id(0), y = get_global_id(1);
    if (x >= n || y >= n) return;
    float sum = 0.0f;
    for (uint i = 0; i < n_atoms; i++) {
        float dx = SPACING * x - atoms[i].x, dy = SPACING * y - atoms[i].y, dz = z - atoms[i].z;
        sum += atoms[i].w * rsqrt(dx * dx + dy * dy + dz * dz);
    }
    potential[y * n + x] = sum;
}
