/* The assembler: what it takes, and that every mistake gets its place and a remedy. */
#include "lab/lab.h"

#include <setjmp.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const struct {
    const char *text, *message; /* the start of the first message */
} mistakes[] = {
    {"ADDD R1 <- R2, R3\n", "t.s:1:1: error: unknown instruction \"ADDD\"; did you mean ADD?"},
    {"  FROB R1\n", "t.s:1:3: error: unknown instruction \"FROB\"; \"heddle lab show instructions\" lists them"},
    {"ADD R1 <- R2\n", "t.s:1:11: error: ADD takes 3 operands, not 2"},
    {"ADD R1 <- R2, R3, R4\n", "t.s:1:19: error: ADD takes 3 operands, not 4"},
    {"ADD\n", "t.s:1:1: error: ADD takes 3 operands, not 0"},
    {"\nADD R1 <- R2 R3\n", "t.s:2:14: error: expected a comma after operand 2 of ADD; found \"R3\""},
    {"ADD R1 R2, R3\n", "t.s:1:8: error: expected a comma or <- after operand 1 of ADD; found \"R2\""},
    {"ADD R1 <- R2 * R3\n", "t.s:1:14: error: expected a comma after operand 2 of ADD; found \"*\""},
    {"ADD R99 <- R1, R2\n", "t.s:1:5: error: there is no register R99; R0 to R31 are"},
    {"ADD 5 <- R1, R2\n", "t.s:1:5: error: operand 1 of ADD must be a scalar register; found \"5\""},
    {"VADD R1 <- V1, V2\n", "t.s:1:6: error: operand 1 of VADD must be a vector register; found \"R1\""},
    {"ADD R1 <- V2, R3\n", "t.s:1:11: error: operand 2 of ADD must be a scalar register; found \"V2\""},
    {"LD R1 <- R2\n", "t.s:1:10: error: operand 2 of LD must be a memory operand; found \"R2\""},
    {"LD R1 <- [R2+R3]\n", "t.s:1:14: error: an address has at most one register, and it is added"},
    {"LD R1 <- [R2\n", "t.s:1:13: error: expected \"]\" after the address; the line ends here"},
    {"LD R1 <- MEM R2\n", "t.s:1:14: error: expected \"[\" after MEM; found \"R2\""},
    {"LD R1 <- MEM[R1++]\n", "t.s:1:4: error: the loaded register is also incremented; load another one or drop the ++"},
    {"LD R1 <- [tabel]\n.data table 1\n", "t.s:1:11: error: no data is called \"tabel\"; did you mean \"table\"?"},
    {"MOVA R1 = nothing\n", "t.s:1:11: error: no data is called \"nothing\"; a line \".data nothing 1 2 3\" would make it"},
    {"J nowhere\n", "t.s:1:3: error: there is no label \"nowhere\"; write \"nowhere:\" before an instruction"},
    {"loop: BNZ R1, lop\n", "t.s:1:15: error: there is no label \"lop\"; did you mean \"loop\"?"},
    {"a: NOP\na: NOP\n", "t.s:2:1: error: label \"a\" is there already, in line 1"},
    {".data A 1\n.data A 2\n", "t.s:2:7: error: data \"A\" is there already"},
    {".data R1 2\n", "t.s:1:7: error: \"R1\" is a register; choose another name"},
    {".data A\n", "t.s:1:8: error: expected numbers; \".fill NAME COUNT\" makes zeros"},
    {".dta A 1\n", "t.s:1:1: error: unknown directive \".dta\"; did you mean \".data\"?"},
    {".fill A 0\n", "t.s:1:9: error: a count is a number from 1 to 1048576"},
    {".memory 0\nNOP\n", "t.s:1:9: error: memory has 1 to 1048576 words"},
    {"NOP\n.memory 2\n.data A 1 2 3\n", "t.s:2: error: memory of 2 words is too small: the data take 3"},
    {".bytes A 300\n", "t.s:1:10: error: a byte is a number from -128 to 255"},
    {".reg V1 3\n", "t.s:1:6: error: expected an R, A, X or MM register, VLEN, VSTR or VMASK; found \"V1\""},
    {".reg R1 99999999999999999999\n", "t.s:1:9: error: \"99999999999999999999\" is not a number of at most 64 bits"},
    {".set add.latency\n", "t.s:1:6: error: expected a key and its value, such as \".set add.latency 4\"; found \"add.latency\""},
    {"DECBNZ --VLEN, x\nx:\n", "t.s:1:10: error: DECBNZ counts in an R, A or X register"},
    {"MOV TID <- R1\n", "t.s:1:5: error: TID is the thread's number; it cannot be written"},
    {"n: ADD => elsewhere.L\n",
     "t.s:1:11: error: there is no operator \"elsewhere\"; out takes a result out of the graph, drop throws it away"},
    {"ADD => out\n", "t.s:1:1: error: an operator of a graph needs a name: \"n1: ADD ...\""},
    {"n: LD => out\n", "t.s:1:4: error: LD is no operator of a graph; arithmetic, MOV, SWITCH, MERGE, FETCH, NEXT and EXIT are"},
    {"? \n", "t.s:1:1: error: expected an instruction, a label or a directive; found \"?\""},
    {"; nothing\n", "t.s: error: no instruction and no data in this file"},
    {"", "t.s: error: no instruction and no data in this file"},
    {"ADD R1 <- R2, R3 extra\n", "t.s:1:18: error: expected a comma after operand 3 of ADD; found \"extra\""},
};

static void test_mistakes(void **state) {
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(mistakes); i++) {
        struct diag d = {0};
        assert_null(lab_assemble("t.s", mistakes[i].text, strlen(mistakes[i].text), &d));
        if (strncmp(d.text.s, mistakes[i].message, strlen(mistakes[i].message)))
            fail_msg("%s gives\n%sinstead of\n%s", mistakes[i].text, d.text.s, mistakes[i].message);
        diag_free(&d);
    }
}

/* The lecture's ways to write, and ours, mean the same */
static void test_forms(void **state) {
    static const char *const same[][2] = {
        {"ADD R3 <- R1, R2", "ADD R3 = R1 + R2"},
        {"MUL R3 \xE2\x86\x90 R1, R2", "MUL R3, R1, R2"},
        {"LD R4 = MEM[R1++]", "ld r4, [R1++]"},
        {"LD R3 <- R1 (0)", "LD R3 <- [R1]"},
        {"ST MEM[R3++] = R7", "ST [R3++], R7"},
        {"DECBNZ --R0, X", "DECBNZ R0, X"},
        {"SHFR R7 = R6 >> 1", "SHFR R7 <- R6, 0x1"},
        {"VLD V0 = A", "VLD V0 <- [A]"},
        {"VSGE V0 >= V1", "VSGE V0, V1"},
        {"LD R1 <- [R2 + A - 1]", "LD R1 <- [A+R2-1]"},
        {"VGATHER V1 = A[V0]", "VGATHER V1 <- [A+V0]"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(same); i++) {
        struct lab_inst in[2];
        for (u32 k = 0; k < 2; k++) {
            char text[128];
            struct diag d = {0};
            snprintf(text, sizeof(text), ".data pad 9 9\n.data A 1 2\nX: %s\n", same[i][k]);
            struct lab_program *p = lab_assemble("t.s", text, strlen(text), &d);
            if (!p) fail_msg("%s", d.text.s);
            in[k] = p->code.at[0];
            in[k].text = NULL;
            in[k].col = 0;
            lab_program_free(p);
        }
        assert_int_equal(in[0].op, in[1].op);
        assert_int_equal(in[0].dst, in[1].dst);
        assert_memory_equal(in[0].src, in[1].src, 2);
        assert_int_equal(in[0].imm, in[1].imm);
        assert_int_equal(in[0].offset, in[1].offset);
        assert_int_equal(in[0].base, in[1].base);
        assert_int_equal(in[0].index, in[1].index);
        assert_int_equal(in[0].postinc, in[1].postinc);
        assert_int_equal(in[0].target, in[1].target);
    }
}

/* Every machine refuses what it cannot run, with a place */
static void test_refusals(void **state) {
    static const struct {
        const char *machine, *text, *message;
    } cases[] = {
        {"tomasulo", "NOP\nVADD V0 <- V1, V2\n", "t.s:2:1: error: VADD is not for this machine; \"heddle lab vector\" runs it"},
        {"rob", "PAND MM0 <- MM1, MM2\n", "t.s:1:1: error: PAND is not for this machine; \"heddle lab simd\" runs it"},
        {"scoreboard", "ADD R1 <- AEQ, R2\n", "t.s:1:1: error: ADD is not for this machine; \"heddle lab dae\" runs it"},
        {"vliw", "ADD R1 <- TID, R2\n", "t.s:1:1: error: ADD is not for this machine; \"heddle lab simt\" runs it"},
        {"dae", "NOP\n", "t.s: error: there is no execute stream; begin it with .execute, or set stream = single"},
        {"dae", "NOP\n.execute\nLD AEQ <- [0]\n", "t.s:3:1: error: AEQ is filled by loads of the access side"},
        {"dae", "BRQ x\nx: NOP\n.execute\nNOP\n", "t.s:1:1: error: BRQ stands in the execute stream, after .execute"},
        {"dae", "LD X1 <- [0]\n.execute\nADD X2 <- X1, 1\n",
         "t.s:3:1: error: X1 is written by the other side; values go from side to side through AEQ and EAQ"},
        {"systolic", "NOP\n", "t.s:1:1: error: a systolic array has no instructions; it takes .data"},
        {"systolic", ".data x 1 2\n", "t.s: error: this array needs data called \"w\"; write \".data w 1 2 3\""},
        {"dataflow", "NOP\n", "t.s:1:1: error: a graph has no plain instructions; an operator is \"name: ADD => where.L\""},
        {"dataflow", "n: ADD => out\n", "t.s: error: no token starts this graph; \".token name.L 5\" would"},
        {"dataflow", "n: ADD => m.R\nm: MOV => out\n.token n.L 1\n", "t.s:1:4: error: m has one input, .L; .R leads nowhere"},
        {"simt", "VADD V0 <- V1, V2\n",
         "t.s:1:1: error: VADD with these operands is not for simt; its threads run scalar instructions"},
        {"rob", ".data A 1\n", "t.s: error: no instruction in this file; data alone runs on systolic"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct diag d = {0};
        struct lab_run r;
        struct lab_wish w = {0};
        const struct lab_machine *m = lab_machine_find(cases[i].machine);
        struct lab_program *p = lab_assemble("t.s", cases[i].text, strlen(cases[i].text), &d);
        if (!p) fail_msg("%s", d.text.s);
        i64 *key = lab_keys_new(m);
        assert_false(lab_run(&r, m, p, key, &w, &d));
        if (strncmp(d.text.s, cases[i].message, strlen(cases[i].message))) fail_msg("%s gives %s", cases[i].text, d.text.s);
        diag_free(&d);
        free(key);
        lab_program_free(p);
    }
}

/* A machine's INI reads back as it was printed; unknown keys and values are told with the nearest legal
 * name */
static void test_keys(void **state) {
    (void)state;
    for (u32 i = 0; lab_machines[i]; i++) {
        const struct lab_machine *m = lab_machines[i];
        i64 *key = lab_keys_new(m), *back = lab_keys_new(m);
        char *text = NULL;
        size_t len;
        struct diag d = {0};
        for (u32 k = 0; k < m->nkeys; k++) key[k] = m->keys[k].choices ? 1 : MAX(m->keys[k].min, m->keys[k].max / 2);
        FILE *f = open_memstream(&text, &len);
        lab_keys_print(m, key, f);
        fclose(f);
        assert_true(lab_keys_ini(m, back, "m.ini", text, len, &d));
        assert_memory_equal(key, back, m->nkeys * sizeof(i64));
        free(text);
        free(key);
        free(back);
    }
    struct diag d = {0};
    i64 *key = lab_keys_new(&lab_rob);
    static const char ini[] = "width = 2\n[add]\nlatencie = 3\n[mul]\nlatency = 0\n[memory]\norder = bold\nnonsense\n";
    assert_false(lab_keys_ini(&lab_rob, key, "m.ini", ini, strlen(ini), &d));
    assert_non_null(strstr(d.text.s, "m.ini:3: error: machine rob has no key \"add.latencie\"; did you mean \"add.latency\"?\n"));
    assert_non_null(strstr(d.text.s, "m.ini:5: error: mul.latency must be a number from 1 to 1000, not \"0\"\n"));
    assert_non_null(
        strstr(d.text.s, "m.ini:7: error: memory.order must be one of conservative|aggressive|predicted, not \"bold\"\n"));
    assert_non_null(strstr(d.text.s, "m.ini:8: error: not a line of an INI file"));
    diag_free(&d);
    free(key);
}

/* Programs that never end are cut; faults have a place; queues that stay empty are noticed */
static void test_ends(void **state) {
    static const struct {
        const char *machine, *text, *fault; /* fault NULL: cut at max_cycles */
    } cases[] = {
        {"unpipelined", "x: J x\n", NULL},
        {"scoreboard", "x: J x\n", NULL},
        {"tomasulo", "x: J x\n", NULL},
        {"rob", "x: J x\n", NULL},
        {"vector", "x: J x\n", NULL},
        {"simd", "x: J x\n", NULL},
        {"vliw", "x: J x\n", NULL},
        {"simt", "x: J x\n", NULL},
        {"dataflow", "n: NEXT => n.L\n.token n.L 1\n", NULL},
        {"dae", "x: J x\n.execute\nNOP\n", NULL},
        {"dae", "NOP\n.execute\nADD X1 <- AEQ, 1\n", "t.s:3:1: fault: nothing can move any more"},
        {"dae", "ST [0] <- EAQ\n.execute\nNOP\n", "t.s:1:1: fault: nothing can move any more"},
        {"rob", "LD R1 <- [R2-1]\n", "t.s:1:1: fault: address outside of memory"},
        {"unpipelined", "DIV R1 <- R2, R3\n", "t.s:1:1: fault: division by zero"},
        {"vector", "MOVI VLEN = 65\n", "t.s:1:1: fault: VLEN must be from 0"},
        {"vector", "MOVI VSTR = 5000\nVLD V0 = 1\n", "t.s:2:1: fault: address outside of memory"},
        {"simt", "LD R1 <- [TID+4094]\n", "t.s:1:1: fault: address outside of memory in \"LD R1 <- [TID+4094]\", thread 2"},
        {"dataflow", "n: FETCH => out\n.token n.L -1\n", "t.s:1:4: fault: address outside of memory"},
        {"dataflow", "n: ADD => out\n.token n.L 1\n.token n.L 2\n", "t.s:1:4: fault: a second token for one port and context"},
    };
    (void)state;
    for (u32 i = 0; i < ARRAY_LEN(cases); i++) {
        struct diag d = {0};
        struct lab_run r;
        struct lab_wish w = {.max_cycles = 5000};
        const struct lab_machine *m = lab_machine_find(cases[i].machine);
        struct lab_program *p = lab_assemble("t.s", cases[i].text, strlen(cases[i].text), &d);
        if (!p) fail_msg("%s", d.text.s);
        i64 *key = lab_keys_new(m);
        if (!lab_run(&r, m, p, key, &w, &d)) fail_msg("%s", d.text.s);
        if (!cases[i].fault) assert_true(r.cut);
        else if (!r.fault || strncmp(r.fault, cases[i].fault, strlen(cases[i].fault)))
            fail_msg("%s gives %s", cases[i].text, r.fault ? r.fault : "no fault");
        lab_run_free(&r);
        free(key);
        lab_program_free(p);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_mistakes), cmocka_unit_test(test_forms),
                                       cmocka_unit_test(test_refusals), cmocka_unit_test(test_keys), cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests_name("asm", tests, NULL, NULL);
}
