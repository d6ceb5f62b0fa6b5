/* view: a buffer of numbers as a picture, in the terminal and as a PPM file.
 *
 *   view FILE WIDTH HEIGHT [--ppm OUT] [--columns N] [--colour | --ascii]
 *
 * FILE holds WIDTH * HEIGHT little-endian u32, row by row, as `heddle run ... --dump` writes them. The
 * largest value is drawn black, the others in colours from deep blue over white to orange. Two picture rows
 * share one line of text: the upper half block's ink is the upper pixel, its ground the lower one. Without a
 * terminal, or with --ascii, brightness becomes a character. */
#include "base/base.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

struct rgb {
    double r, g, b; /* 0 to 1 */
};
struct picture {
    u32 width, height;
    struct rgb *at;
};

static struct rgb mix(struct rgb a, struct rgb b, double t) {
    return (struct rgb){a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t};
}

/* t in 0..1 along a few fixed colours */
static struct rgb palette(double t) {
    static const struct rgb stop[] = {
        {0.00, 0.02, 0.20}, {0.05, 0.20, 0.60}, {0.25, 0.60, 0.90}, {0.95, 0.98, 1.00},
        {1.00, 0.75, 0.15}, {0.75, 0.25, 0.02}, {0.25, 0.03, 0.02},
    };
    double x = t * (ARRAY_LEN(stop) - 1);
    size_t i = MIN((size_t)x, ARRAY_LEN(stop) - 2);
    return mix(stop[i], stop[i + 1], x - (double)i);
}

static struct picture colour(const u32 *v, u32 width, u32 height) {
    struct picture p = {width, height, base_alloc((size_t)width * height * sizeof(struct rgb))};
    u32 top = 1;
    for (size_t i = 0; i < (size_t)width * height; i++) top = MAX(top, v[i]);
    for (size_t i = 0; i < (size_t)width * height; i++)
        if (v[i] < top) p.at[i] = palette(log1p(v[i]) / log1p(top));
    return p;
}

/* The mean of the pixels that fall into cell (x, y) of a grid of columns x rows */
static struct rgb cell(const struct picture *p, u32 x, u32 y, u32 columns, u32 rows) {
    u32 x0 = (u32)((u64)x * p->width / columns), x1 = MAX(x0 + 1, (u32)((u64)(x + 1) * p->width / columns));
    u32 y0 = (u32)((u64)y * p->height / rows), y1 = MAX(y0 + 1, (u32)((u64)(y + 1) * p->height / rows));
    struct rgb sum = {0};
    for (u32 j = y0; j < y1; j++)
        for (u32 i = x0; i < x1; i++) {
            struct rgb c = p->at[(size_t)j * p->width + i];
            sum = (struct rgb){sum.r + c.r, sum.g + c.g, sum.b + c.b};
        }
    double n = (double)(x1 - x0) * (y1 - y0);
    return (struct rgb){sum.r / n, sum.g / n, sum.b / n};
}

static int byte(double x) { return (int)lround(255 * pow(MIN(MAX(x, 0), 1), 0.8)); }

static void print_colours(const struct picture *p, u32 columns, u32 rows) {
    for (u32 y = 0; y + 1 < rows; y += 2) {
        for (u32 x = 0; x < columns; x++) {
            struct rgb up = cell(p, x, y, columns, rows), low = cell(p, x, y + 1, columns, rows);
            printf("\033[38;2;%d;%d;%dm\033[48;2;%d;%d;%dm▀", byte(up.r), byte(up.g), byte(up.b), byte(low.r), byte(low.g),
                   byte(low.b));
        }
        printf("\033[0m\n");
    }
}

static void print_ascii(const struct picture *p, u32 columns, u32 rows) {
    static const char ramp[] = "@%#*+=-:. ";
    for (u32 y = 0; y < rows / 2; y++) {
        for (u32 x = 0; x < columns; x++) {
            struct rgb c = cell(p, x, y, columns, rows / 2);
            putchar(ramp[MIN((size_t)((0.3 * c.r + 0.5 * c.g + 0.2 * c.b) * 10), (size_t)9)]);
        }
        putchar('\n');
    }
}

static bool write_ppm(const struct picture *p, const char *path) {
    FILE *f = fopen(path, "wb");
    if (!f) return false;
    fprintf(f, "P6\n%u %u\n255\n", p->width, p->height);
    for (size_t i = 0; i < (size_t)p->width * p->height; i++) {
        u8 pixel[3] = {(u8)byte(p->at[i].r), (u8)byte(p->at[i].g), (u8)byte(p->at[i].b)};
        fwrite(pixel, 1, 3, f);
    }
    return fclose(f) == 0;
}

static u32 terminal_columns(void) {
    struct winsize w;
    return ioctl(STDOUT_FILENO, TIOCGWINSZ, &w) == 0 && w.ws_col ? w.ws_col : 80;
}

int main(int argc, char **argv) {
    if (argc < 4) {
        fprintf(stderr, "usage: view FILE WIDTH HEIGHT [--ppm OUT] [--columns N] [--colour | --ascii]\n");
        return 2;
    }
    u32 width = (u32)strtoul(argv[2], NULL, 10), height = (u32)strtoul(argv[3], NULL, 10), columns = 0;
    const char *ppm = NULL;
    bool ascii = !isatty(STDOUT_FILENO);
    for (int i = 4; i < argc; i++) {
        if (!strcmp(argv[i], "--ppm") && i + 1 < argc) ppm = argv[++i];
        else if (!strcmp(argv[i], "--columns") && i + 1 < argc) columns = (u32)strtoul(argv[++i], NULL, 10);
        else if (!strcmp(argv[i], "--colour")) ascii = false;
        else if (!strcmp(argv[i], "--ascii")) ascii = true;
        else {
            fprintf(stderr, "view: %s: expected --ppm OUT, --columns N, --colour or --ascii\n", argv[i]);
            return 2;
        }
    }
    size_t len;
    char *text = text_read_file(argv[1], limit_most(LIMIT_OTHER), &len);
    if (!text || !width || !height || len != (size_t)width * height * 4) {
        fprintf(stderr, "view: %s: expected %u x %u 32-bit numbers\n", argv[1], width, height);
        free(text);
        return 2;
    }
    struct picture p = colour((const u32 *)(const void *)text, width, height);
    if (!columns) columns = MIN(MIN(terminal_columns(), 96u), width);
    u32 rows = (u32)((u64)columns * height / width);
    (ascii ? print_ascii : print_colours)(&p, columns, rows);
    int rc = 0;
    if (ppm && !write_ppm(&p, ppm)) {
        perror(ppm);
        rc = 1;
    }
    free(p.at);
    free(text);
    return rc;
}
