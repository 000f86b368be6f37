// Matrices of at most 256 bytes, several at once where that fills vectors, as one permutation of
// bytes, whose order is the same for every matrix. Granules take several times as long. AVX-512
// VBMI picks any 64 bytes of two vectors by one instruction; not every processor with AVX-512 has
// it. All others pick bytes of 16-byte windows of the input, each of which goes to all blocks of an
// output vector.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include <algorithm>
#include <array>

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

inline constexpr int64_t kWindow = 16;
// Less input is transposed by granules before windows are found.
inline constexpr int64_t kWorthWindows = 4096;

// The 16-byte windows of the input that hold the bytes of each output vector: one begins with the
// first byte that none holds yet. Output vectors have equally many of them, some of them in vain.
class Windows {
 public:
  static constexpr int kMost = 12;  // of a vector; more take longer than granules

  explicit Windows(const Permutation& permutation) : bytes_(permutation.bytes) {
    std::fill_n(picks_, sizeof picks_, kNothing);
    const int64_t last = std::max<int64_t>(0, bytes_ - kWindow);
    for (int64_t v = 0; v * kVector < bytes_; ++v) {
      const uint8_t* const from = permutation.from + v * kVector;
      const int64_t size = std::min<int64_t>(bytes_ - v * kVector, kVector);
      std::array<bool, kPermutedBytes> is_needed = {};
      for (int64_t i = 0; i < size; ++i) is_needed[from[i]] = true;
      std::array<uint8_t, kPermutedBytes> window_of;
      uint8_t* const begins = begins_ + v * kMost;
      int count = 0;
      for (int64_t at = 0; at < bytes_; ++at) {
        if (!is_needed[static_cast<size_t>(at)]) continue;
        if (count == kMost) {
          count_ = kMost + 1;
          return;
        }
        const int64_t begin = std::min(at, last), end = std::min(begin + kWindow, bytes_);
        std::fill(window_of.begin() + at, window_of.begin() + end, static_cast<uint8_t>(count));
        begins[count++] = static_cast<uint8_t>(begin);
        at = end - 1;
      }
      for (int64_t i = 0; i < size; ++i) {
        const int window = window_of[from[i]];
        picks_[(v * kMost + window) * kVector + i] = static_cast<uint8_t>(from[i] - begins[window]);
      }
      count_ = std::max(count_, count);
    }
  }

  bool are_few() const { return count_ <= kMost; }

  // Of few windows. Reads 16 bytes where a unit has fewer.
  void permute(const uint8_t* in, int64_t in_step, int64_t units, Stage& stage, int64_t out_rows,
               int ahead) const {
    const auto by = [&](auto windows) XPOSE_INLINE {
      if (windows + 1 == count_)
        permute_by<windows + 1>(in, in_step, units, stage, out_rows, ahead);
    };
    unroll<kMost>(by);
  }

 private:
  static constexpr int64_t kVectors = kPermutedBytes / kVector;
  static constexpr uint8_t kNothing = 0x80;

  template <int Count>
  HWY_NOINLINE void permute_by(const uint8_t* in, int64_t in_step, int64_t units, Stage& stage,
                               int64_t out_rows, int ahead) const {
    const int64_t lead = std::max<int64_t>(1, lead_bytes(ahead) / bytes_) * in_step;
    const int64_t vectors = host::ceil_div(bytes_, kVector);
    for (int64_t unit = 0; unit < units; ++unit, in += in_step) {
      for (int64_t at = 0; at < bytes_; at += kLine) ask_for(in + lead + at, ahead);
      uint8_t* const out = stage.place();
      for (int64_t v = 0; v < vectors; ++v) {
        Vector picked[Count];
        unroll<Count>([&](auto i) XPOSE_INLINE {
          const int64_t window = v * kMost + i;
          picked[i] = hn::TableLookupBytesOr0(hn::LoadDup128(Bytes(), in + begins_[window]),
                                              hn::Load(Bytes(), picks_ + window * kVector));
        });
        unroll<Count - 1>([&](auto i)
                              XPOSE_INLINE { picked[0] = hn::Or(picked[0], picked[i + 1]); });
        hn::StoreU(picked[0], Bytes(), out + v * kVector);
      }
      stage.advance(out_rows);
    }
  }

  int64_t bytes_;
  int count_ = 0;
  uint8_t begins_[kVectors * kMost] = {};
  alignas(kLine) uint8_t picks_[kVectors * kMost * kVector];
};

#if HWY_TARGET == HWY_AVX3

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

class Vbmi {
 public:
  static bool can_permute() { return __builtin_cpu_supports("avx512vbmi"); }

  explicit Vbmi(const Permutation& permutation) : permutation_(permutation) {}

  void permute(const uint8_t* in, int64_t in_step, int64_t units, Stage& stage, int64_t out_rows,
               int ahead) const {
    switch (host::ceil_div(permutation_.bytes, kLine)) {
      case 1:
        return permute_units<1>(permutation_, in, in_step, units, stage, out_rows, ahead);
      case 2:
        return permute_units<2>(permutation_, in, in_step, units, stage, out_rows, ahead);
      case 3:
        return permute_units<3>(permutation_, in, in_step, units, stage, out_rows, ahead);
      default:
        return permute_units<4>(permutation_, in, in_step, units, stage, out_rows, ahead);
    }
  }

 private:
  Permutation permutation_;
};

#endif

// As many matrices as fill vectors, within a few per cent.
inline int64_t matrices_of_vectors(int64_t bytes) {
  constexpr int64_t kFewPercent = 2;
  const auto filled = [&](int64_t matrices) {
    return 100 * matrices * bytes / (host::ceil_div(matrices * bytes, kVector) * kVector);
  };
  int64_t best = 1;
  for (int64_t i = 2; i * bytes <= kPermutedBytes; ++i)
    if (filled(i) > filled(best) + kFewPercent) best = i;
  return best;
}

// Transposes matrices in units of some that lie together, or one by one.
template <class Order>
HWY_NOINLINE void transpose_units(const Job& job, int64_t bytes, bool lie_together,
                                  int64_t together, const Order& order, Stage& stage) {
  alignas(kLine) uint8_t packed[kPermutedBytes] = {};
  if (lie_together) {
    const int64_t units = job.matrices / together, rest = job.matrices % together;
    stage.begin(job.out);
    order.permute(job.in, together * bytes, units, stage, together * job.cols, job.ahead);
    if (rest == 0) return;
    copy_bytes(job.in + units * together * bytes, packed, rest * bytes);
    return order.permute(packed, 0, 1, stage, rest * job.cols, job.ahead);
  }
  for (int64_t i = 0; i < job.matrices; ++i) {
    const uint8_t* in = job.in + i * job.in_step;
    if (bytes < kWindow) {
      copy_bytes(in, packed, bytes);
      in = packed;
    }
    stage.begin(job.out + i * job.out_step);
    order.permute(in, job.in_step, 1, stage, job.cols, job.ahead);
  }
}

// Transposes matrices whose own rows are dense, both ways. False where they are too large, or
// granules are faster.
inline bool transpose_permuted(const Job& job, int64_t size, Stage& stage) {
  const int64_t bytes = job.rows * job.cols * size;
  if (bytes > kPermutedBytes || job.in_pitch != job.cols * size || job.out_pitch != job.rows * size)
    return false;
  const bool lie_together = job.in_step == bytes && job.out_step == bytes;
  const auto unit_of = [&](int64_t matrices) {
    return Permutation(matrices, job.rows, job.cols, size);
  };
#if HWY_TARGET == HWY_AVX3
  if (Vbmi::can_permute()) {
    const int64_t together = lie_together ? std::max<int64_t>(1, kLine / bytes) : 1;
    transpose_units(job, bytes, lie_together, together, Vbmi(unit_of(together)), stage);
    return true;
  }
#endif
  if (job.matrices * bytes < kWorthWindows) return false;
  const int64_t together = lie_together ? matrices_of_vectors(bytes) : 1;
  const Windows windows(unit_of(together));
  if (!windows.are_few()) return false;
  transpose_units(job, bytes, lie_together, together, windows, stage);
  return true;
}

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
