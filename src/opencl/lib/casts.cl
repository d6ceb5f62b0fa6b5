/* Images and samplers are opaque in the language and pointers underneath. images.cl declares conversions of
 * the former; here they are defined under their mangled names for the latter, which are the same functions to
 * a linker. */
#define SAME(name)                                                                                                               \
    __attribute__((always_inline)) __global void *name(__global void *p) { return p; }
SAME(_Z12heddle_image14ocl_image1d_ro) SAME(_Z12heddle_image14ocl_image1d_wo)
SAME(_Z12heddle_image20ocl_image1d_array_ro) SAME(_Z12heddle_image20ocl_image1d_array_wo)
SAME(_Z12heddle_image21ocl_image1d_buffer_ro) SAME(_Z12heddle_image21ocl_image1d_buffer_wo)
SAME(_Z12heddle_image14ocl_image2d_ro) SAME(_Z12heddle_image14ocl_image2d_wo)
SAME(_Z12heddle_image20ocl_image2d_array_ro) SAME(_Z12heddle_image20ocl_image2d_array_wo)
SAME(_Z12heddle_image14ocl_image3d_ro) SAME(_Z12heddle_image14ocl_image3d_wo)

__attribute__((always_inline)) uint heddle_sampler(__constant void *s) { return (uint)(size_t)s; }
__attribute__((always_inline)) __constant void *__translate_sampler_initializer(int bits) { return (__constant void *)(size_t)(uint)bits; }
