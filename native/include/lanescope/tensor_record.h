/* The record of a dumped tensor, and what it says of the tensor; kinds.h lists it with all others. */
#ifndef LANESCOPE_TENSOR_RECORD_H
#define LANESCOPE_TENSOR_RECORD_H

#include "portable.h"

#define LS_TENSOR_WORDS 15 /* of 8 bytes in a record of a tensor */
#define LS_TENSOR_DIMENSIONS 6

/* A piece of a dumped tensor. A tensor is one record with its facts (part 0), then its bytes in as many
 * records as they need, in their order; a controller writes the records of one tensor after another.
 *
 *    0      4    8                                              128
 *   ┌──────┬────┬──────────────────────────────────────────────┐
 *   │number│part│ part 0: ls_tensor_facts; others: 120 bytes   │
 *   └──────┴────┴──────────────────────────────────────────────┘
 */
typedef struct {
    uint32_t number; /* of the tensor in its lane, modulo 2^32 */
    uint32_t part;
    uint64_t words[LS_TENSOR_WORDS];
} ls_tensor;

/* What a dumped tensor is. Strides and offset count elements. */
typedef struct {
    uint64_t task;
    uint32_t func;
    uint32_t argument;   /* its number among the task's */
    uint32_t role;       /* enum ls_tensor_role */
    uint32_t stage;      /* enum ls_tensor_stage */
    uint32_t dtype;      /* enum ls_dtype */
    uint32_t dimensions; /* 0: a single element */
    uint64_t bytes;      /* of all its elements */
    uint64_t kept;       /* bytes that follow; fewer where the tensor is longer than the limit */
    uint64_t start_offset; /* of its first element in the buffer */
    uint32_t shape[LS_TENSOR_DIMENSIONS];
    uint32_t strides[LS_TENSOR_DIMENSIONS];
    uint64_t pad[2];
} ls_tensor_facts;

enum ls_tensor_role { LS_TENSOR_INPUT = 0, LS_TENSOR_OUTPUT = 1, LS_TENSOR_INOUT = 2 };
enum ls_tensor_stage { LS_BEFORE_DISPATCH = 0, LS_AFTER_COMPLETION = 1 };
enum ls_dtype {
    LS_DTYPE_BOOL = 0,
    LS_DTYPE_INT8 = 1,
    LS_DTYPE_INT16 = 2,
    LS_DTYPE_INT32 = 3,
    LS_DTYPE_INT64 = 4,
    LS_DTYPE_UINT8 = 5,
    LS_DTYPE_UINT16 = 6,
    LS_DTYPE_UINT32 = 7,
    LS_DTYPE_UINT64 = 8,
    LS_DTYPE_FLOAT16 = 9,
    LS_DTYPE_FLOAT32 = 10,
    LS_DTYPE_FLOAT64 = 11,
    LS_DTYPE_BFLOAT16 = 12
};

static_assert(sizeof(ls_tensor_facts) == LS_TENSOR_WORDS * sizeof(uint64_t),
              "LS_REGION_VERSION must move");

#endif
