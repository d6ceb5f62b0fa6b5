/* Flux of the compressible Euler equations over an unstructured mesh, after which the cells move on in time.
 * A round is three launches: cfd_step_factor, cfd_flux, cfd_advance. A cell has four faces; across a face
 * lies another cell, anywhere in memory, or the wing (index in the first half above `cells`), or the
 * undisturbed flow (the second half). Every cell works out its neighbours' pressure and velocity again
 * instead of storing them: gather loads, and far more of them than arithmetic can hide. Momentum and normals
 * are stored plane by plane. */
#define GAMMA_1 0.4f
#define FACES   4

struct flow {
    float density, energy, pressure, sound;
    float3 momentum, velocity;
};

static struct flow flow_of(float density, float3 momentum, float energy) {
    struct flow f;
    f.density = density;
    f.momentum = momentum;
    f.energy = energy;
    f.velocity = momentum / density;
    f.pressure = GAMMA_1 * (energy - 0.5f * density * dot(f.velocity, f.velocity));
    f.sound = sqrt((1.0f + GAMMA_1) * f.pressure / density);
    return f;
}

static struct flow load_flow(__global const float *density, __global const float *momentum, __global const float *energy,
                             uint cells, uint i) {
    return flow_of(density[i], (float3)(momentum[i], momentum[cells + i], momentum[2 * cells + i]), energy[i]);
}

__kernel void cfd_step_factor(__global const float *density, __global const float *momentum, __global const float *energy,
                              __global const float *area, __global float *factor, uint cells) {
    uint i = get_global_id(0);
    if (i >= cells) return;
    struct flow f = load_flow(density, momentum, energy, cells, i);
    factor[i] = 0.5f / (sqrt(area[i]) * (sqrt(dot(f.velocity, f.velocity)) + f.sound));
}

/* flux holds five planes: density, three of momentum, energy */
__kernel void cfd_flux(__global const float *density, __global const float *momentum, __global const float *energy,
                       __global const uint *neighbour, __global const float *normal, __global float *flux, uint cells,
                       uint beyond) {
    uint i = get_global_id(0);
    if (i >= cells) return;
    struct flow here = load_flow(density, momentum, energy, cells, i);
    float mass = 0.0f, heat = 0.0f;
    float3 push = (float3)(0.0f);

    for (uint face = 0; face < FACES; face++) {
        uint other = neighbour[face * cells + i];
        uint at = 3 * face * cells + i;
        float3 n = (float3)(normal[at], normal[at + cells], normal[at + 2 * cells]);
        if (other >= cells && other - cells < beyond / 2) {
            push += here.pressure * n;
            continue;
        }
        struct flow there =
            other < cells ? load_flow(density, momentum, energy, cells, other) : flow_of(1.4f, (float3)(0.14f, 0.0f, 0.0f), 2.6f);
        float through = 0.5f * dot(n, here.velocity + there.velocity);
        float damp = 0.1f * length(n) * (here.sound + there.sound);
        mass += through * 0.5f * (here.density + there.density) + damp * (there.density - here.density);
        push += through * 0.5f * (here.momentum + there.momentum) + 0.5f * (here.pressure + there.pressure) * n +
                damp * (there.momentum - here.momentum);
        heat +=
            through * 0.5f * (here.energy + here.pressure + there.energy + there.pressure) + damp * (there.energy - here.energy);
    }
    flux[i] = mass;
    flux[cells + i] = push.x;
    flux[2 * cells + i] = push.y;
    flux[3 * cells + i] = push.z;
    flux[4 * cells + i] = heat;
}

__kernel void cfd_advance(__global float *density, __global float *momentum, __global float *energy, __global const float *factor,
                          __global const float *flux, uint cells) {
    uint i = get_global_id(0);
    if (i >= cells) return;
    float f = factor[i];
    density[i] += f * flux[i];
    for (uint k = 0; k < 3; k++) momentum[k * cells + i] += f * flux[(k + 1) * cells + i];
    energy[i] += f * flux[4 * cells + i];
}
