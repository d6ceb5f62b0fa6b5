/* Breadth-first search of a web-like graph: the kernels of bfs on nodes of very unequal degree, of which a
 * few are reached from everywhere. Few levels; a single lane may walk thousands of edges. */
#include "../bfs/bfs.cl"
