/* Clouds, rain and snow in a model of the atmosphere, a column of air per work-item. weather_physics goes
 * through the levels once (water condenses, cloud turns to rain, rain evaporates, freezes and melts);
 * weather_fall then lets rain and snow fall from the top down, in four smaller steps. A field lies level by
 * level, from the ground up, so that neighbouring columns share lines. Exponentials, powers and divisions in
 * long chains, many registers, a dozen streams. Water is in grams per kilogram of air, pressure in hPa. */
#define STEP_S   20.0f /* length of a time step */
#define SUBSTEPS 4
#define HEAT     2.5f  /* kelvin that a gram of water warms a kilogram of air by when it condenses */
#define FUSION   0.33f /* and when it freezes */
#define FREEZING 273.15f

/* Grams of water that a kilogram of air can hold as vapour */
static float saturation(float kelvin, float pressure) {
    float vapour = 6.112f * exp(17.67f * (kelvin - FREEZING) / (kelvin - 29.65f));
    return 622.0f * vapour / (pressure - vapour);
}

__kernel void weather_physics(__global float *temperature, __global float *vapour, __global float *cloud, __global float *rain,
                              __global float *snow, __global const float *pressure, uint columns, uint levels) {
    uint column = get_global_id(0);
    if (column >= columns) return;
    for (uint level = 0; level < levels; level++) {
        uint i = level * columns + column;
        float t = temperature[i], v = vapour[i], c = cloud[i], r = rain[i], s = snow[i], p = pressure[i];

        float full = saturation(t, p);
        float condensed = fmax((v - full) / (1.0f + full * 13500.0f / (t * t)), -c);
        v -= condensed;
        c += condensed;
        t += HEAT * condensed;

        float collected = 1e-3f * fmax(c - 0.5f, 0.0f) + 2.2e-3f * c * pow(r, 0.875f);
        float to_rain = fmin(STEP_S * collected, c);
        c -= to_rain;
        r += to_rain;

        float dry = fmax(saturation(t, p) - v, 0.0f);
        float dried = fmin(STEP_S * 1e-3f * dry * sqrt(r), r);
        r -= dried;
        v += dried;
        t -= HEAT * dried;

        float cold = FREEZING - t;
        float frozen = fmin(STEP_S * 1e-3f * fmax(cold, 0.0f) * r, r), melted = fmin(STEP_S * 2e-3f * fmax(-cold, 0.0f) * s, s);
        r += melted - frozen;
        s += frozen - melted;
        t += FUSION * (frozen - melted);

        temperature[i] = t;
        vapour[i] = v;
        cloud[i] = c;
        rain[i] = r;
        snow[i] = s;
    }
}

/* The part of what is in a layer that leaves it in one of the smaller steps */
static float falling(float water, float fastest, float thickness) {
    float metres_a_second = fastest * pow(water, 0.1364f);
    return water * fmin(metres_a_second * (STEP_S / SUBSTEPS) / thickness, 1.0f);
}

__kernel void weather_fall(__global float *rain, __global float *snow, __global const float *thickness, __global float *ground,
                           uint columns, uint levels) {
    uint column = get_global_id(0);
    if (column >= columns) return;
    float fallen = ground[column];
    for (uint step = 0; step < SUBSTEPS; step++) {
        float rain_in = 0.0f, snow_in = 0.0f;
        for (uint level = levels; level-- > 0;) {
            uint i = level * columns + column;
            float r = rain[i], s = snow[i], dz = thickness[i];
            float rain_out = falling(r, 14.0f, dz), snow_out = falling(s, 2.0f, dz);
            rain[i] = r + (rain_in - rain_out);
            snow[i] = s + (snow_in - snow_out);
            rain_in = rain_out;
            snow_in = snow_out;
        }
        fallen += rain_in + snow_in;
    }
    ground[column] = fallen;
}
