/* Included before a program in which clang finds a call of min, max, mul24 or mad24 ambiguous: overloads that
 * mix types, as vendors' compilers have them (builtins.cl defines them), and all others again, because a
 * declaration hides the compiler's own. */
/* clang-format off */
#define OVERLOAD __attribute__((overloadable, const))
#define HEDDLE_TWO(f, a, b)                                                                                                      \
    a OVERLOAD f(a, a);                                                                                                          \
    a OVERLOAD f(a, b);
#define HEDDLE_MIXED(f, r, a, b)                                                                                                 \
    r OVERLOAD f(a, b);                                                                                                          \
    r OVERLOAD f(b, a);
#define HEDDLE_WIDTHS(f, t)                                                                                                      \
    t OVERLOAD f(t, t);                                                                                                          \
    HEDDLE_TWO(f, t##2, t) HEDDLE_TWO(f, t##3, t) HEDDLE_TWO(f, t##4, t) HEDDLE_TWO(f, t##8, t) HEDDLE_TWO(f, t##16, t)
#define HEDDLE_ALL(f)                                                                                                            \
    HEDDLE_WIDTHS(f, char)                                                                                                       \
    HEDDLE_WIDTHS(f, uchar) HEDDLE_WIDTHS(f, short) HEDDLE_WIDTHS(f, ushort) HEDDLE_WIDTHS(f, int) HEDDLE_WIDTHS(f, uint)        \
        HEDDLE_WIDTHS(f, long) HEDDLE_WIDTHS(f, ulong) HEDDLE_WIDTHS(f, float) HEDDLE_WIDTHS(f, double)                          \
            HEDDLE_MIXED(f, uint, int, uint) HEDDLE_MIXED(f, long, int, long) HEDDLE_MIXED(f, long, uint, long)                  \
                HEDDLE_MIXED(f, ulong, int, ulong) HEDDLE_MIXED(f, ulong, uint, ulong) HEDDLE_MIXED(f, ulong, long, ulong)       \
                    HEDDLE_MIXED(f, float, int, float) HEDDLE_MIXED(f, float, uint, float) HEDDLE_MIXED(f, double, int, double)  \
                        HEDDLE_MIXED(f, double, float, double)
HEDDLE_ALL(min)
HEDDLE_ALL(max)

/* The two of 24 bits: on size_t, and signed with unsigned */
#define HEDDLE_24(t)                                                                                                             \
    t OVERLOAD mul24(t, t);                                                                                                      \
    t OVERLOAD mad24(t, t, t);
#define HEDDLE_24_WIDTHS(t) HEDDLE_24(t) HEDDLE_24(t##2) HEDDLE_24(t##3) HEDDLE_24(t##4) HEDDLE_24(t##8) HEDDLE_24(t##16)
#define HEDDLE_24_MIXED(r, a, b)                                                                                                 \
    r OVERLOAD mul24(a, b);                                                                                                      \
    r OVERLOAD mad24(a, b, int);                                                                                                 \
    r OVERLOAD mad24(a, b, uint);                                                                                                \
    r OVERLOAD mad24(a, b, long);                                                                                                \
    r OVERLOAD mad24(a, b, ulong);
HEDDLE_24_WIDTHS(int) HEDDLE_24_WIDTHS(uint)
HEDDLE_24_MIXED(uint, int, uint) HEDDLE_24_MIXED(uint, uint, int) HEDDLE_24_MIXED(ulong, ulong, ulong) HEDDLE_24_MIXED(long, long, long)
HEDDLE_24_MIXED(ulong, ulong, int) HEDDLE_24_MIXED(ulong, int, ulong) HEDDLE_24_MIXED(ulong, ulong, uint) HEDDLE_24_MIXED(ulong, uint, ulong)
HEDDLE_24_MIXED(ulong, ulong, long) HEDDLE_24_MIXED(ulong, long, ulong) HEDDLE_24_MIXED(long, long, int) HEDDLE_24_MIXED(long, int, long)
#undef OVERLOAD
#undef HEDDLE_TWO
#undef HEDDLE_MIXED
#undef HEDDLE_WIDTHS
#undef HEDDLE_ALL
#undef HEDDLE_24
#undef HEDDLE_24_WIDTHS
#undef HEDDLE_24_MIXED
    /* clang-format on */
