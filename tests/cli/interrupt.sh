# Ctrl-C ends a long run with what is known so far, with timing and without.
. "$(dirname "$0")"/common
sed -n '/^\.version/,$p' "$top/tests/bad/endless_loop.ptx" > "$work/loop.ptx"
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/endless_loop.ptx" > "$work/loop.json"
interrupt() { # command...: its exit code after half a second's work and a SIGINT
    "$@" > "$work/out" 2> "$work/err" &
    local pid=$! guard code
    ( sleep 200; kill -KILL $pid ) > /dev/null 2>&1 &
    guard=$!
    worked $pid 50
    kill -INT $pid
    wait $pid
    code=$?
    kill $guard
    same $code 130 "exit code of $2 $5 after SIGINT"
    err_has 'interrupted'
}
interrupt "$heddle" run "$work/loop.ptx" --manifest "$work/loop.json" --functional
interrupt "$heddle" run "$work/loop.ptx" --manifest "$work/loop.json" --machine small --json "$work/r.json"
out_has 'stopped before the end'
out_has '^CPI stack'
same "$(json "$work/r.json" finished)" false finished
same "$(json "$work/r.json" error)" interrupted error
interrupt "$heddle" compare "$work/loop.ptx" --manifest "$work/loop.json" --machine small --vary sm.warps=8,16
finish
