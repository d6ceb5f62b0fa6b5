# What a file is shows in its content: programs and manifests may be called anything.
. "$(dirname "$0")"/common
cp "$top/tests/bad/good/scale.ptx" "$work/scale.ptx"
{ echo "// a comment"; echo "/* and"; echo " another */"; cat "$work/scale.ptx"; } > "$work/kernels"
cat > "$work/launch.txt" <<JSON

{"program": "kernels",
 "buffers": [{"id": 0, "name": "out", "type": "u32", "count": 64, "generator": "fill", "p0": 1, "check": true}],
 "launches": [{"kernel": "scale", "grid": [2, 1, 1], "block": [32, 1, 1], "args": [{"buf": 0}, {"type": "u32", "value": 1}]}]}
JSON
expect 0 "$heddle" check "$work/kernels" --json "$work/c.json"
[ "$(json "$work/c.json" files.0.frontend)" = ptx ] || complain "check does not say which front end read the file"
expect 0 "$heddle" run "$work/kernels" --manifest "$work/launch.txt" --functional --json "$work/a.json"
expect 0 "$heddle" run "$work/launch.txt" --functional --json "$work/b.json"
[ "$(json "$work/a.json" checksum)" = "$(json "$work/b.json" checksum)" ] || complain "two ways to name a program, two results"
sed 's/"program": "kernels"/"ptx": "scale.ptx"/' "$work/launch.txt" > "$work/old.json"
expect 0 "$heddle" run "$work/old.json" --functional
expect 2 "$heddle" run "$work/kernels" --functional
err_has 'a program needs --manifest'

# A pipe cannot be read twice: its name says what it is, and nobody waits for it
mkfifo "$work/pipe"
expect 2 "$top/tests/within" 10 "$heddle" run "$work/pipe" --functional
err_has 'no bundled workload'
expect 2 "$top/tests/within" 10 "$heddle" run /dev/zero --functional

printf '\177ELF\1\1\1' > "$work/kernels"
expect 2 "$heddle" check "$work/kernels"
err_has 'not a program heddle reads: .*; it reads PTX'
expect 2 "$heddle" run "$work/kernels" --functional
err_has 'no manifest (JSON), and not a program heddle reads: .*; it reads PTX'
expect 2 "$heddle" run "$work/launch.txt" --functional
err_has 'not a program heddle reads: .*; it reads PTX'
cp "$work/kernels" "$work/elf.ptx" # the name has the last word: its front end says what is wrong, and where
expect 2 "$heddle" check "$work/elf.ptx"
err_has 'elf.ptx:1:1: error'
: > "$work/kernels"
expect 2 "$heddle" check "$work/kernels"
err_has 'not a program heddle reads: .*; it reads PTX'
finish
