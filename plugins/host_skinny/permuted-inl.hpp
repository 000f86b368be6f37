// Matrices of at most 256 bytes, several at once where they are smaller than a vector, as one
// permutation of bytes: AVX-512 VBMI picks any 64 bytes of two vectors by one instruction, and the
// order is the same for every matrix. Granules take several times as long. Not every processor with
// AVX-512 has VBMI.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include "../kit/host/ceil_div.hpp"
#include "granules-inl.hpp"
#include "job.hpp"
#include "stage-inl.hpp"

#if defined(XPOSE_HOST_SKINNY_PERMUTED) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SKINNY_PERMUTED
#undef XPOSE_HOST_SKINNY_PERMUTED
#else
#define XPOSE_HOST_SKINNY_PERMUTED
#endif

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

inline constexpr int64_t kPermutedBytes = 256;

#if HWY_TARGET == HWY_AVX3

inline bool can_permute() { return __builtin_cpu_supports("avx512vbmi"); }

// Which byte of the input goes to each byte of the output, for a unit of one or several matrices.
struct Permutation {
  alignas(kLine) uint8_t from[kPermutedBytes] = {};
  int64_t bytes = 0;

  Permutation(int64_t matrices, int64_t rows, int64_t cols, int64_t size) {
    for (int64_t i = 0; i < matrices; ++i)
      for (int64_t c = 0; c < cols; ++c)
        for (int64_t r = 0; r < rows; ++r)
          for (int64_t b = 0; b < size; ++b)
            from[bytes++] = static_cast<uint8_t>(((i * rows + r) * cols + c) * size + b);
  }
};

// Units of `Vectors` vectors or less.
template <int Vectors>
__attribute__((target(HWY_TARGET_STR ",avx512vbmi"))) HWY_NOINLINE void permute_units(
    const Permutation& permutation, const uint8_t* in, int64_t in_step, int64_t units, Stage& stage,
    int64_t out_rows, int ahead) {
  constexpr int kPairs = (Vectors + 1) / 2;
  __m512i from[Vectors];
  __mmask64 upper[Vectors];  // bytes of the second pair of vectors
  for (int i = 0; i < Vectors; ++i) {
    from[i] = _mm512_load_si512(permutation.from + i * kLine);
    upper[i] = _mm512_movepi8_mask(from[i]);
  }
  const __mmask64 rest = ~uint64_t{0} >> (Vectors * kLine - permutation.bytes);
  const int64_t lead = std::max<int64_t>(1, lead_bytes(ahead) / permutation.bytes) * in_step;
  for (int64_t unit = 0; unit < units; ++unit, in += in_step) {
    __m512i v[2 * kPairs];
    for (int i = 0; i < Vectors - 1; ++i) v[i] = _mm512_loadu_si512(in + i * kLine);
    v[Vectors - 1] = _mm512_maskz_loadu_epi8(rest, in + (Vectors - 1) * kLine);
    if constexpr (Vectors % 2 != 0) v[Vectors] = v[Vectors - 1];
    for (int i = 0; i < Vectors; ++i) ask_for(in + lead + i * kLine, ahead);
    uint8_t* const out = stage.place();
    for (int i = 0; i < Vectors; ++i) {
      __m512i picked = Vectors == 1 ? _mm512_permutexvar_epi8(from[i], v[0])
                                    : _mm512_permutex2var_epi8(v[0], from[i], v[1]);
      if constexpr (kPairs == 2)
        picked =
            _mm512_mask_mov_epi8(picked, upper[i], _mm512_permutex2var_epi8(v[2], from[i], v[3]));
      _mm512_storeu_si512(out + i * kLine, picked);
    }
    stage.advance(out_rows);
  }
}

inline void permute(const Permutation& permutation, const uint8_t* in, int64_t in_step,
                    int64_t units, Stage& stage, int64_t out_rows, int ahead) {
  switch (host::ceil_div(permutation.bytes, kLine)) {
    case 1:
      return permute_units<1>(permutation, in, in_step, units, stage, out_rows, ahead);
    case 2:
      return permute_units<2>(permutation, in, in_step, units, stage, out_rows, ahead);
    case 3:
      return permute_units<3>(permutation, in, in_step, units, stage, out_rows, ahead);
    default:
      return permute_units<4>(permutation, in, in_step, units, stage, out_rows, ahead);
  }
}

// Transposes matrices whose own rows are dense, both ways. False where they are too large or the
// processor has no such instruction.
inline bool transpose_permuted(const Job& job, int64_t size, Stage& stage) {
  const int64_t bytes = job.rows * job.cols * size;
  if (bytes > kPermutedBytes || job.in_pitch != job.cols * size ||
      job.out_pitch != job.rows * size || !can_permute())
    return false;
  if (job.in_step == bytes && job.out_step == bytes) {
    const int64_t together = std::max<int64_t>(1, kLine / bytes);
    const int64_t units = job.matrices / together, rest = job.matrices % together;
    stage.begin(job.out);
    permute({together, job.rows, job.cols, size}, job.in, together * bytes, units, stage,
            together * job.cols, job.ahead);
    if (rest != 0)
      permute({rest, job.rows, job.cols, size}, job.in + units * together * bytes, bytes, 1, stage,
              rest * job.cols, job.ahead);
  } else {
    const Permutation permutation(1, job.rows, job.cols, size);
    for (int64_t i = 0; i < job.matrices; ++i) {
      stage.begin(job.out + i * job.out_step);
      permute(permutation, job.in + i * job.in_step, job.in_step, 1, stage, job.cols, job.ahead);
    }
  }
  return true;
}

#else

inline bool transpose_permuted(const Job&, int64_t, Stage&) { return false; }

#endif

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
