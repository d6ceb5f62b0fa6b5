/* A texel by loads, in place of a texture unit; a part of opencl/lib/images.cl. What the bytes of a channel
 * mean is what src/func/texture.c makes of them, bit for bit.
 *
 * Channels that are words are loaded where a read stands; those that have to be converted by one function for
 * all reads. */

static uint converted(uint type, const __global uchar *p) {
    switch (alike(type)) {
    case TYPE_UNORM8: return as_uint((float)*p / 255.0f);
    case TYPE_UNORM16: return as_uint((float)*(const __global ushort *)p / 65535.0f);
    case TYPE_SNORM8: return as_uint(fmax((float)*(const __global char *)p / 127.0f, -1.0f));
    case TYPE_SNORM16: return as_uint(fmax((float)*(const __global short *)p / 32767.0f, -1.0f));
    case TYPE_U8: return *p;
    case TYPE_U16: return *(const __global ushort *)p;
    case TYPE_S8: return (uint)(int)*(const __global char *)p;
    case TYPE_S16: return (uint)(int)*(const __global short *)p;
    default: return as_uint(vload_half(0, (const __global half *)p));
    }
}

/* n channels from p on, `step` bytes apart */
static __attribute__((noinline)) uint4 narrow(uint type, const __global uchar *p, uint n, uint step) {
    uint v[4] = {0};
#pragma unroll 1
    for (uint i = 0; i < alike(n); i++, p += step) v[i] = converted(type, p);
    return (uint4)(v[0], v[1], v[2], v[3]);
}

INSIDE uint4 fetched(const __global struct image *im, int4 c) {
    const __global uint *p = (const __global uint *)place(im, c);
    uint type = alike(im->type), n = alike(channels(im->order));
    if (type != TYPE_FLOAT && type != TYPE_S32 && type != TYPE_U32)
        return narrow(type, (const __global uchar *)p, n, im->element_b / n);
    uint4 v = (uint4)(*p, 0, 0, 0);
    if (n > 1) v.y = p[1];
    if (n > 2) v.z = p[2], v.w = p[3];
    return v;
}
