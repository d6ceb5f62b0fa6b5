/* Forces between particles in a cube of boxes, each box with 32 particles: a work-group takes a box and goes
 * through it and its up to 26 neighbours, whose particles it stages in local memory. An exponential per pair;
 * the loads are few and coalesced. */
#define PER_BOX 32
#define ALPHA2  0.5f

/* particles: x, y, z, charge; force: potential, x, y, z */
__kernel __attribute__((reqd_work_group_size(PER_BOX, 1, 1))) void lavamd(__global const float4 *particles,
                                                                          __global float4 *force, uint side) {
    __local float4 other[PER_BOX];
    uint lane = get_local_id(0), box = get_group_id(0);
    int x = box % side, y = box / side % side, z = box / (side * side);
    float4 me = particles[box * PER_BOX + lane], sum = (float4)(0.0f);

    for (int k = 0; k < 27; k++) {
        int nx = x + k % 3 - 1, ny = y + k / 3 % 3 - 1, nz = z + k / 9 - 1;
        if (nx < 0 || ny < 0 || nz < 0 || nx >= (int)side || ny >= (int)side || nz >= (int)side) continue;
        other[lane] = particles[((nz * side + ny) * side + nx) * PER_BOX + lane];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (uint i = 0; i < PER_BOX; i++) {
            float4 d = me - other[i];
            float r2 = d.x * d.x + d.y * d.y + d.z * d.z;
            float pull = other[i].w * exp(-ALPHA2 * r2);
            sum += pull * (float4)(1.0f, d.x, d.y, d.z);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    force[box * PER_BOX + lane] = sum;
}
