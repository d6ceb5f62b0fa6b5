/* texture: the inside of 67_texture.c, for that file alone. */
#ifndef HEDDLE_CORE_TEXTURE_H
#define HEDDLE_CORE_TEXTURE_H

#include "core/flight.h"

struct texture_cache {
    struct tags tags;
    struct mshr *mshr;
    u64 latency; /* of the stage itself: the key minus the way there */
};

#endif
