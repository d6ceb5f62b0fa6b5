/* Ray tracing of spheres over a chequered floor, lit by one lamp, with shadows and up to `BOUNCES` mirror
 * reflections; a pixel per work-item. Which object a ray meets, whether it is lit and how often it bounces
 * differ from lane to lane. */
#pragma OPENCL FP_CONTRACT OFF
#define BOUNCES 4
#define FAR     1e30f

static float dot_product(float3 a, float3 b) { return (a.x * b.x + a.y * b.y) + a.z * b.z; }
static float3 normal_of(float3 v) { return v / sqrt(dot_product(v, v)); }

/* How far along the ray sphere s (centre and radius) is met; FAR for not at all */
static float meet(float4 s, float3 from, float3 way) {
    float3 to = s.xyz - from;
    float along = dot_product(to, way), square = s.w * s.w - (dot_product(to, to) - along * along);
    if (square < 0.0f) return FAR;
    float half_chord = sqrt(square);
    float near = along - half_chord, behind = along + half_chord;
    return near > 0.001f ? near : behind > 0.001f ? behind : FAR;
}

__kernel void raytrace(__global const float4 *spheres, __global const float *shine, __global float *picture, uint n, uint count) {
    uint px = get_global_id(0), py = get_global_id(1);
    if (px >= n || py >= n) return;
    float3 from = (float3)(0.0f, 2.0f, -6.0f), lamp = (float3)(-5.0f, 9.0f, -4.0f);
    float3 way = normal_of((float3)(2.0f * px / n - 1.0f, 0.8f - 2.0f * py / n, 1.5f));
    float light = 0.0f, weight = 1.0f;

    for (uint bounce = 0; bounce < BOUNCES; bounce++) {
        float nearest = FAR;
        uint hit = count; /* count: the floor */
        for (uint i = 0; i < count; i++) {
            float t = meet(spheres[i], from, way);
            if (t < nearest) {
                nearest = t;
                hit = i;
            }
        }
        float floor_at = way.y < 0.0f ? -from.y / way.y : FAR;
        if (floor_at < nearest && floor_at > 0.001f) {
            nearest = floor_at;
            hit = count;
        }
        if (nearest >= FAR) {
            light += weight * (0.3f + 0.3f * way.y);
            break;
        }
        float3 at = from + way * nearest;
        float3 up = hit == count ? (float3)(0.0f, 1.0f, 0.0f) : (at - spheres[hit].xyz) / spheres[hit].w;
        float3 to_lamp = lamp - at;
        float range = sqrt(dot_product(to_lamp, to_lamp));
        to_lamp = to_lamp / range;
        float facing = dot_product(up, to_lamp);
        for (uint i = 0; i < count && facing > 0.0f; i++)
            if (meet(spheres[i], at, to_lamp) < range) facing = 0.0f;
        float colour = 0.8f, mirror = 0.2f;
        if (hit < count) mirror = shine[hit];
        else if ((int)(floor(at.x) + floor(at.z)) & 1) colour = 0.3f;
        light += weight * ((1.0f - mirror) * colour * (0.1f + 0.9f * fmax(facing, 0.0f)));
        weight *= mirror;
        if (weight < 0.01f) break;
        way = way - up * (2.0f * dot_product(way, up));
        from = at;
    }
    picture[py * n + px] = light;
}
