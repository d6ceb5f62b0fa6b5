/* Counts what the driver's functions answer; see counted. */
#ifndef HEDDLE_TESTS_COUNTED_H
#define HEDDLE_TESTS_COUNTED_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <CL/cl_gl.h>

/* When OCL_COUNTS names a file: from now to the end of the process, whose counts are then added to it */
void counted_install(cl_platform_id p);

#endif
