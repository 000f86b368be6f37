// Words of up to 16 bytes, kWideLoads of them in flight per thread before the first store, which is
// nearly as fast as the device's own memcpy.
#pragma once

#include <cstdint>

namespace xpose::kernels {

inline constexpr int kWideLoads = 4;

// Copies rows of row_bytes bytes; blockIdx.y is the row. Addresses and pitches (bytes) are
// multiples of alignof(Word); the bytes of a row past its last whole word are moved one by one.
template <class Word>
__global__ void copy_wide(const unsigned char* __restrict__ in, unsigned char* __restrict__ out,
                          int64_t row_bytes, int64_t in_pitch, int64_t out_pitch) {
  in += blockIdx.y * in_pitch;
  out += blockIdx.y * out_pitch;
  const int64_t words = row_bytes / int64_t{sizeof(Word)};
  const int block_x = blockDim.x;
  const int64_t first = int64_t{blockIdx.x} * (kWideLoads * block_x) + threadIdx.x;
  const Word* const source = reinterpret_cast<const Word*>(in) + first;
  Word* const target = reinterpret_cast<Word*>(out) + first;

  Word value[kWideLoads];  // (kWideLoads, block_x)
  for (int i = 0; i < kWideLoads; ++i)
    if (first + i * block_x < words) value[i] = source[i * block_x];
  for (int i = 0; i < kWideLoads; ++i)
    if (first + i * block_x < words) target[i * block_x] = value[i];

  const int64_t tail = words * int64_t{sizeof(Word)} + threadIdx.x;
  if (blockIdx.x == 0 && tail < row_bytes) out[tail] = in[tail];
}

}  // namespace xpose::kernels
