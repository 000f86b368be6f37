/* What the tests of the C API share: arrays of numbers and how they must look when they were moved.
 */
#ifndef XPOSE_TESTS_MOVES_H
#define XPOSE_TESTS_MOVES_H

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The byte offset of the index on the axes of a tensor that counts its elements, the last axis the
 * fastest. */
static int64_t offset_of(int64_t index, int rank, const int64_t* extents, const int64_t* strides,
                         int64_t bytes) {
  int64_t offset = 0;
  for (int axis = rank - 1; axis >= 0; --axis) {
    offset += index % extents[axis] * strides[axis];
    index /= extents[axis];
  }
  return offset * bytes;
}

/* 1 where every element of `out` is that of `in`; both are the addresses of element 0. */
static int is_moved(const void* in, const int64_t* in_strides, const void* out,
                    const int64_t* out_strides, int rank, const int64_t* in_extents,
                    const int32_t* axes, int64_t bytes) {
  int64_t out_extents[16], strides[16], count = 1;
  for (int i = 0; i < rank; ++i) {
    out_extents[i] = in_extents[axes[i]];
    strides[i] = in_strides[axes[i]];
    count *= out_extents[i];
  }
  for (int64_t i = 0; i < count; ++i)
    if (memcmp((const char*)out + offset_of(i, rank, out_extents, out_strides, bytes),
               (const char*)in + offset_of(i, rank, out_extents, strides, bytes),
               (size_t)bytes) != 0)
      return 0;
  return 1;
}

/* Fills bytes so that neighbours differ. */
static void fill(void* buffer, size_t bytes) {
  for (size_t i = 0; i < bytes; ++i)
    ((unsigned char*)buffer)[i] = (unsigned char)(i * 167 + i / 251);
}

#endif
