/* spmv_power: as spmv. Bit-exact. */
#include "../ref.h"

bool workload_ref_spmv_power(struct workload_buffers *b) { return workload_ref_spmv(b); }
