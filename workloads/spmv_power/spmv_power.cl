/* Sparse matrix times vector for the matrix of a web-like graph: the kernel of spmv on rows of very unequal
 * length, with a few columns that most rows have. */
#include "../spmv/spmv.cl"
