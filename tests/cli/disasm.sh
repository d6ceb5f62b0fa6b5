# --disasm shows each launched kernel once: every instruction, with its pc and physical registers.
. "$(dirname "$0")"/common
expect 0 "$heddle" check "$top/tests/bad/good/scale.ptx" --disasm
out_has scale
out_has 'ld.global'
out_has 'mul'
out_has 'ret'
expect 0 "$heddle" run vecadd --functional --size tiny --disasm --quiet
out_has 'ld.global'
expect 0 "$heddle" run bfs --functional --size tiny --disasm --quiet
same "$(grep -c 'st.global' "$work/out" | awk '{ print ($1 > 0) }')" 1 "stores in the disassembly"
finish
