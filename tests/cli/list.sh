# The names a user may type are listed, and each listed workload runs.
. "$(dirname "$0")"/common
expect 0 "$heddle" list workloads
for name in vecadd saxpy sgemm transpose reduction scan histogram spmv bfs stencil mandelbrot nqueens blackscholes; do out_has "^$name "; done
expect 0 "$heddle" list classes
out_has '[a-z]'
expect 0 "$heddle" list generators
for name in zero fill hash mod bytes unit range prefix lcgperm ramp diagdom twiddle powerlaw popular band mesh bell; do out_has "^$name "; done
finish
