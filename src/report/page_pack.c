/* Data for a page: deflate, then base64, so that it stands in a script element that no browser runs.
 * The browser's DecompressionStream unpacks it, or, where there is none, an inflater of the page's own. */
#include "report/report_page.h"

#include <stdlib.h>
#include <zlib.h>

static char *base64(const u8 *in, size_t n) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    char *out = base_alloc((n + 2) / 3 * 4 + 1), *at = out;
    for (size_t i = 0; i < n; i += 3) {
        u32 left = (u32)MIN(n - i, (size_t)3);
        u32 bits = (u32)in[i] << 16 | (left > 1 ? (u32)in[i + 1] << 8 : 0) | (left > 2 ? in[i + 2] : 0u);
        for (u32 k = 0; k < 4; k++) *at++ = k <= left ? digits[bits >> (18 - 6 * k) & 63] : '=';
    }
    *at = 0;
    return out;
}

char *page_pack(const void *data, size_t bytes) {
    uLongf n = compressBound(bytes);
    u8 *packed = base_alloc(n);
    CHECK(compress2(packed, &n, data, bytes, Z_BEST_COMPRESSION) == Z_OK); /* it fails only for want of room */
    char *text = base64(packed, n);
    free(packed);
    return text;
}
