/* Names as the programmer wrote them, and names that are left as they are: a strange name is better than a
 * wrong one. The mangled names are what clang-19 makes of such declarations. */
#include "base/base.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void shows(const char *mangled, const char *want) {
    char *got = text_demangle(mangled, strlen(mangled));
    if (want) {
        assert_non_null(got);
        assert_string_equal(got, want);
    } else if (got) fail_msg("'%s' became '%s'", mangled, got);
    free(got);
}

static void functions_and_their_types(void **state) {
    (void)state;
    shows("_Z5scalePfi", "scale(float*, int)");
    shows("_Z1fv", "f()");
    shows("_Z4initbcahstjlmxyd",
          "init(bool, char, signed char, unsigned char, short, unsigned short, unsigned int, long, unsigned long, long long, "
          "unsigned long long, double)");
    shows("_Z3addPKfS0_Pf", "add(float const*, float const*, float*)");
    shows("_Z3refRiOi", "ref(int&, int&&)");
    shows("_Z3dotDv4_fS_", "dot(float4, float4)");
    shows("_Z4loadPU3AS1Kf", "load(float const*)");
    shows("_Z5load2PU3AS1KfS0_PU3AS1fS2_", "load2(float const*, float const*, float*, float*)");
    shows("_Z2voPVKiS0_Dv4_h", "vo(int const volatile*, int const volatile*, uchar4)");
    shows("_Z2k2PKfPKS0_PPf", "k2(float const*, float const* const*, float**)");
    shows("_Z4halfDh", "half(half)");
}

static void namespaces_classes_and_templates(void **state) {
    (void)state;
    shows("_ZN3abc3defEi", "abc::def(int)");
    shows("_ZN1a1b1cE", "a::b::c");
    shows("_Z4tileILi16EEvPf", "tile<16>(float*)");
    shows("_Z4tileILin3EEvv", "tile<-3>()");
    shows("_Z3mapIfiEvPT_", NULL); /* a parameter of the template: not known here */
    shows("_Z3putN2ns4PairE", "put(ns::Pair)");
    shows("_ZN2ns4bothENS_4PairEPS0_S1_", "ns::both(ns::Pair, ns::Pair*, ns::Pair*)");
    shows("_Z2bx3BoxIfLi3EEPS0_", "bx(Box<float, 3>, Box<float, 3>*)");
}

static void others_stay(void **state) {
    (void)state;
    static const char *const names[] = {
        "",       "_Z",      "_Zx",     "scale",   "_Z99999999999a", "_Z0f",       "_Z5scal",
        "_Z1fS_", "_Z1fS9_", "_ZN1aE1", "_Z1fIL",  "_Z1fILi",        "_Z1fILi5",   "_Z1fI",
        "_ZN",    "_ZN1a",   "_Z1fDv",  "_Z1fDv4", "_Z1fU3AS",       "_Z1fSZZZZ_", "_Z1fPPPPPPPPPPPPPPPPPPPPPPPPi"};
    for (u32 i = 0; i < ARRAY_LEN(names); i++) shows(names[i], NULL);
}

/* Every beginning of a name, in memory that ends where the name does: valgrind and ASan watch the end */
static void no_beginning_reads_past_its_end(void **state) {
    static const char *const names[] = {"_ZN3abc4tileILi16ENS_1bEEEvPKfS2_Dv4_fU3AS1Kc", "_Z4tileILin3EEvPfRiOi", "_Z5scalePfi"};
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(names); i++)
        for (size_t n = 0; n <= strlen(names[i]); n++) {
            char *cut = base_alloc(n + !n);
            memcpy(cut, names[i], n);
            free(text_demangle(cut, n));
            free(cut);
        }
}

static void names_within_a_message(void **state) {
    (void)state;
    struct strbuf b = {0};
    strbuf_add(&b, "k.ptx:3:1: error: '_Z5scalePfi' calls _Z1fv, not my_Z1fv or _Zx");
    text_demangle_all(&b);
    assert_string_equal(b.s, "k.ptx:3:1: error: 'scale(float*, int)' calls f(), not my_Z1fv or _Zx");
    strbuf_free(&b);
    text_demangle_all(&b);
    assert_null(b.s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(functions_and_their_types),
        cmocka_unit_test(namespaces_classes_and_templates),
        cmocka_unit_test(others_stay),
        cmocka_unit_test(no_beginning_reads_past_its_end),
        cmocka_unit_test(names_within_a_message),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
