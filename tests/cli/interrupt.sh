# Ctrl-C ends a long run with what is known so far.
. "$(dirname "$0")"/common
sed -n '/^\.version/,$p' "$top/tests/bad/endless_loop.ptx" > "$work/loop.ptx"
sed -n 's,^// manifest: \{0\,1\},,p' "$top/tests/bad/endless_loop.ptx" > "$work/loop.json"
"$heddle" run "$work/loop.ptx" --manifest "$work/loop.json" --functional > "$work/out" 2> "$work/err" &
pid=$!
sleep 1
kill -INT $pid
( sleep 10; kill -KILL $pid ) > /dev/null 2>&1 &
guard=$!
wait $pid
same $? 130 "exit code after SIGINT"
kill $guard
err_has 'interrupted'
finish
