/* Breadth-first search of a mesh: the kernels of bfs on a graph whose nodes are joined to near ones only.
 * Many levels, each with a small front that lies close together. */
#include "../bfs/bfs.cl"
