# hoist_loads.awk: PTX with the loads of each basic block moved to its front, as an assembler for an in-order machine does.
#
#     awk -f tools/hoist_loads.awk app.ptx > app_hoisted.ptx
#
# A compiler's PTX puts a load next to its use, because PTX is meant to be scheduled by the assembler. Here, within each run of plain instructions (no label, branch,
# barrier or fence between them), loads whose addresses depend on no load of the run go first, with what they need, in their old order; all else follows in its old
# order. Kept: which instruction sees which value of a register; the order of stores and atomics with other accesses of the same space; the order of shuffles and
# votes. Not done: anything across blocks (unrolling, predicated loads), and any count of registers.
#
# Limits: one instruction a line, as compilers write it; lines of another form end a block.

function registers(text, out,    n, word, rest) {
    n = 0
    rest = text
    while (match(rest, /%[A-Za-z_$][A-Za-z0-9_$]*/)) {
        word = substr(rest, RSTART, RLENGTH)
        out[++n] = word
        rest = substr(rest, RSTART + RLENGTH)
    }
    return n
}

function space_of(op) {
    if (op ~ /\.global/) return "global"
    if (op ~ /\.shared/) return "shared"
    if (op ~ /\.local/) return "local"
    if (op ~ /\.const/) return "const"
    if (op ~ /\.param/) return "param"
    return "generic"
}

# Of line i: op[], place[] (the space of a memory access, or nothing), writes[], collective[], load[]; defs and uses as lists in def[i, k], use[i, k]
function take_apart(i, text,    s, guard, name, rest, dst, n, k, w) {
    s = text
    sub(/^[ \t]+/, "", s)
    sub(/[ \t]*;.*$/, "", s)
    guard = ""
    if (match(s, /^@!?%[A-Za-z0-9_$]+[ \t]+/)) {
        guard = substr(s, 1, RLENGTH)
        s = substr(s, RLENGTH + 1)
    }
    name = s
    sub(/[ \t{].*$/, "", name)
    rest = substr(s, length(name) + 1)
    op[i] = name
    place[i] = name ~ /^(ld|st|atom|red)\./ ? space_of(name) : ""
    if (place[i] == "param") place[i] = ""
    writes[i] = place[i] != "" && (name !~ /^ld\./ || name ~ /\.volatile/)
    load[i] = place[i] != "" && name ~ /^ld\./
    collective[i] = name ~ /^(shfl|vote|match|redux|activemask)/
    dst = ""
    if (name !~ /^(st|red)\./) {
        dst = rest
        if (dst ~ /^[ \t]*\{/) sub(/\}.*$/, "", dst)
        else sub(/,.*$/, "", dst)
        rest = substr(rest, length(dst) + 1)
    }
    ndef[i] = registers(dst, w)
    for (k = 1; k <= ndef[i]; k++) def[i, k] = w[k]
    n = registers(rest guard, w)
    for (k = 1; k <= n; k++) use[i, k] = w[k]
    if (guard != "") for (k = 1; k <= ndef[i]; k++) use[i, ++n] = def[i, k] # what was there may stay
    nuse[i] = n
}

# needs[i]: lines that must come before line i
function find_needs(n,    i, j, k, r) {
    split("", writer)
    split("", readers)
    for (i = 1; i <= n; i++) {
        needs[i] = ""
        for (k = 1; k <= nuse[i]; k++) if (use[i, k] in writer) needs[i] = needs[i] " " writer[use[i, k]]
        for (k = 1; k <= ndef[i]; k++) {
            r = def[i, k]
            if (r in writer) needs[i] = needs[i] " " writer[r]
            if (r in readers) needs[i] = needs[i] " " readers[r]
        }
        for (k = 1; k <= nuse[i]; k++) readers[use[i, k]] = readers[use[i, k]] " " i
        for (k = 1; k <= ndef[i]; k++) {
            writer[def[i, k]] = i
            readers[def[i, k]] = ""
        }
        for (j = 1; j < i; j++) {
            if (place[i] != "" && place[j] != "" && (writes[i] || writes[j]) &&
                (place[i] == place[j] || place[i] == "generic" || place[j] == "generic")) needs[i] = needs[i] " " j
            if (collective[i] && collective[j]) needs[i] = needs[i] " " j
        }
    }
}

# Marks in closure[] all that line i needs, and what that needs; true when a load is among it
function close_over(i,    todo, n, k, w, waits) {
    split("", closure)
    todo = needs[i]
    waits = 0
    while (todo != "") {
        n = split(todo, w, " ")
        todo = ""
        for (k = 1; k <= n; k++) {
            if (w[k] == i || w[k] in closure) continue
            closure[w[k]] = 1
            waits = waits || load[w[k]]
            todo = todo " " needs[w[k]]
        }
    }
    return waits
}

function end_block(    i, j) {
    find_needs(lines)
    split("", done)
    for (i = 1; i <= lines; i++) {
        if (!load[i] || i in done || close_over(i)) continue
        for (j = 1; j < i; j++) if (j in closure && !(j in done)) {
            print text[j]
            done[j] = 1
        }
        print text[i]
        done[i] = 1
    }
    for (i = 1; i <= lines; i++) if (!(i in done)) print text[i]
    lines = 0
}

function is_plain(s) {
    if (s !~ /;[ \t]*(\/\/.*)?$/ || s ~ /;.*;/ || s ~ /^[ \t]*[.$\/{}]/ || s ~ /^[ \t]*[A-Za-z0-9_$]+:/) return 0
    sub(/^[ \t]+/, "", s)
    sub(/^@!?%[A-Za-z0-9_$]+[ \t]+/, "", s)
    return s !~ /^(bra|brx|bar|barrier|ret|exit|trap|call|membar|fence|cp|mbarrier|nanosleep|wmma|mma|ldmatrix|setmaxnreg|pmevent|discard|prefetch)/ && s !~ /%clock|%globaltimer/
}

is_plain($0) {
    text[++lines] = $0
    take_apart(lines, $0)
    next
}
{
    end_block()
    print
}
END { end_block() }
