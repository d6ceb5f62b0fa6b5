# The summary for people names what it should, and --quiet leaves it out.
. "$(dirname "$0")"/common
expect 0 "$heddle" run sgemm --functional --size tiny
for word in 'sgemm: ' 'kernel ' 'regs' 'instruction mix' 'memory ' 'checksum  *ok' 'time ' 'rate '; do out_has "$word"; done
expect 0 "$heddle" run sgemm --functional --size tiny --quiet
out_empty
err_empty
expect 0 "$heddle" check "$top/tests/bad/good/scale.ptx"
out_has 'scale'
finish
