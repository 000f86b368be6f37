// Many rows of at most a line: groups of as many rows as a vector has elements become one vector of
// every output row, by two groups together, whose vectors are side by side there. Rows of 2, 3 or 4
// elements side by side take Highway's interleaved loads; all others are cut into granules.
//
// Non-temporal stores leave straight from registers where they make whole lines, one after the
// other, and output rows are aligned to them. Else a few lines of every output row are staged in
// the first-level cache at the alignment that they have in memory, so that whole lines leave it.
// Two lines of a row are written together, because memory takes them faster than single ones. Input
// that is asked for into the second-level cache occupies none of the few fill buffers of the first.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include "../kit/host/ceil_div.hpp"
#include "granules-inl.hpp"
#include "job.hpp"
#include "thin-inl.hpp"

#if defined(XPOSE_HOST_SKINNY_DEINTERLEAVE) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SKINNY_DEINTERLEAVE
#undef XPOSE_HOST_SKINNY_DEINTERLEAVE
#else
#define XPOSE_HOST_SKINNY_DEINTERLEAVE
#endif

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

// The object is large; it lives on the thread's stack.
template <int Size>
class Deinterleave {
 public:
  explicit Deinterleave(const Job& job)
      : job_(job),
        row_bytes_(job.cols * Size),
        dense_(job.in_pitch == row_bytes_),
        thin_(Size < 16 && dense_ && job.cols <= 4) {
    const int64_t asked = job.in_pitch <= 2 * kLine ? job.in_pitch : (row_bytes_ | (kLine - 1)) + 1;
    lead_ = std::max(kPair, lead_bytes(job.ahead) / asked) * job.in_pitch;
    share_ = kSide * kGroup / job.cols + 1;
  }

  void run() {
    for (int64_t i = 0; i < job_.matrices; ++i) {
      const uint8_t* const in = job_.in + i * job_.in_step;
      uint8_t* const out = job_.out + i * job_.out_step;
      in_end_ = in + job_.rows * row_bytes_;
      const bool aligned =
          reinterpret_cast<uintptr_t>(out) % kLine == 0 && job_.out_pitch % kLine == 0;
      if (!job_.streams)
        straight<false>(in, out);
      else if (aligned && (kVector == kLine || (thin_ && 2 * kVector == kLine)))
        straight<true>(in, out);
      else
        staged(in, out);
    }
  }

 private:
  static constexpr int64_t kSide = 16 / Size;
  static constexpr int64_t kGroup = kVector / Size, kPair = 2 * kGroup;  // rows
  static constexpr int64_t kMaxCols = kLine / Size;
  // Lines that are asked for together wait for each other where they are more than 32, as those of
  // small elements are. The fewer lines of larger ones are better asked for at once.
  static constexpr bool kAsksInShares = Size < 4;
  // Staged bytes of an output row. Few rows have more of them: a line is not loaded from the stage
  // as soon as it has been stored there, in parts that cannot be forwarded.
  static constexpr int64_t kFewCols = 12, kFewBytes = 1024, kManyBytes = 256;
  static constexpr int64_t kStageBytes =
      std::max(kFewCols * (kFewBytes + 2 * kLine), kMaxCols*(kManyBytes + 2 * kLine));

  template <bool Streams>
  void straight(const uint8_t* in, uint8_t* out) {
    const int64_t whole = job_.rows / kGroup * kGroup, rest = job_.rows - whole;
    const int64_t r = pairs<Streams>(in, whole, out, job_.out_pitch);
    if (r < whole)
      groups<Streams, 1>(in + r * job_.in_pitch, kGroup, out + r * Size, job_.out_pitch);
    if (rest == 0) return;
    groups<false, 1>(in + whole * job_.in_pitch, rest, stage_, kVector);
    copy_rows(stage_, kVector, out + whole * Size, job_.out_pitch, job_.cols, rest * Size);
  }

  void staged(const uint8_t* in, uint8_t* out) {
    const int64_t bytes = job_.cols <= kFewCols ? kFewBytes : kManyBytes;
    const int64_t pitch = bytes + kLine + job_.out_pitch % kLine;  // keeps every row's alignment
    uint8_t* const first = stage_ + reinterpret_cast<uintptr_t>(out) % kLine;
    for (int64_t row = 0; row < job_.rows; row += bytes / Size) {
      const int64_t rows = std::min(bytes / Size, job_.rows - row);
      const bool last = row + rows == job_.rows;
      for (int64_t r = pairs<false>(in + row * job_.in_pitch, rows, first, pitch); r < rows;
           r += kGroup)
        groups<false, 1>(in + (row + r) * job_.in_pitch, std::min(kGroup, rows - r),
                         first + r * Size, pitch);
      for (int64_t c = 0; c < job_.cols; ++c) {
        uint8_t* const to = out + c * job_.out_pitch + row * Size;
        uint8_t* const from = first + c * pitch;
        const int64_t shift = reinterpret_cast<uintptr_t>(to) % kLine;
        const int64_t begin = row == 0 ? 0 : -shift;
        const int64_t end = rows * Size - (last ? 0 : shift);
        stream_bytes(from + begin, to + begin, end - begin);
        if (!last) copy_line(from + end, from - shift);  // the rest, less than a line
      }
    }
  }

  // Transposes the pairs of groups that `rows` rows have; the rows of those.
  template <bool Streams>
  HWY_INLINE int64_t pairs(const uint8_t* in, int64_t rows, uint8_t* out, ptrdiff_t out_pitch) {
    const int64_t whole = rows / kPair * kPair;
    if (thin_)
      for_few(job_.cols, [&](auto cols) XPOSE_INLINE {
        thin_pairs<Streams, cols>(in, whole, out, out_pitch);
      });
    else
      for (int64_t r = 0; r < whole; r += kPair)
        groups<Streams, 2>(in + r * job_.in_pitch, kPair, out + r * Size, out_pitch);
    return whole;
  }

  // A loop of its own, since a call for each pair takes longer than the pair itself.
  template <bool Streams, int Cols>
  HWY_NOINLINE void thin_pairs(const uint8_t* in, int64_t rows, uint8_t* out,
                               ptrdiff_t out_pitch) const {
    if constexpr (Size < 16) {
      const Lanes<Size> lanes;
      const int level = job_.ahead;
      for (const uint8_t* const end = in + rows * row_bytes_; in != end; out += 2 * kVector) {
        unroll<host::ceil_div(2 * Cols * kVector, kLine)>(
            [&](auto line) XPOSE_INLINE { ask_for(in + lead_ + line * kLine, level); });
        hn::Vec<Lanes<Size>> v[2][Cols];
        unroll<2>([&](auto i)
                      XPOSE_INLINE { load_columns<Cols>(lanes, in + i * Cols * kVector, v[i]); });
        unroll<Cols>([&](auto c) XPOSE_INLINE {
          unroll<2>([&](auto i) XPOSE_INLINE {
            uint8_t* const to = out + c * out_pitch + i * kVector;
            if constexpr (Streams)
              hn::Stream(hn::BitCast(Bytes(), v[i][c]), Bytes(), to);
            else
              hn::StoreU(hn::BitCast(Bytes(), v[i][c]), Bytes(), to);
          });
        });
        in += 2 * Cols * kVector;
      }
    }
  }

  // Transposes `rows` rows, `Groups` groups or fewer, to as many vectors of each output row.
  template <bool Streams, int Groups>
  HWY_NOINLINE void groups(const uint8_t* in, int64_t rows, uint8_t* out, ptrdiff_t out_pitch) {
    const int64_t cols = job_.cols;
    if (Streams && cols == kMaxCols && job_.in_pitch == kLine)
      return lines<Groups>(in, out, out_pitch);
    const uint8_t* later = in + lead_;
    ptrdiff_t pitch = job_.in_pitch;
    if (rows < Groups * kGroup || !readable(in, rows)) {
      copy_rows(in, pitch, packed_, row_bytes_, rows, row_bytes_);
      in = packed_;
      pitch = row_bytes_;
    }
    const ptrdiff_t next = kGroup * pitch;
    const int64_t end = std::min(cols, kSide);
    if constexpr (!kAsksInShares) ask_for_rows(later, job_.in_pitch, rows, row_bytes_, job_.ahead);
    for (int64_t c = 0; c < cols; c += kSide) {
      const int64_t begin = std::max<int64_t>(0, std::min(c, cols - kSide));
      if constexpr (kAsksInShares) {
        ask_for_rows(later, job_.in_pitch, Groups * share_, row_bytes_, job_.ahead);
        later += Groups * share_ * job_.in_pitch;
      }
      for (int i = 0; i < Groups; ++i)
        transpose_tall<Size, Streams>(in + i * next + begin * Size, pitch,
                                      out + begin * out_pitch + i * kVector, out_pitch, c - begin,
                                      end);
    }
  }

  // The same of rows that are lines, one behind the other: fewer instructions, so that a core has
  // more loads from memory in flight.
  template <int Groups>
  HWY_INLINE void lines(const uint8_t* in, uint8_t* out, ptrdiff_t out_pitch) const {
    const uint8_t* later = in + lead_;
    const int level = job_.ahead;
    for (int64_t c = 0; c < kMaxCols; c += kSide)
      unroll<Groups>([&](auto i) XPOSE_INLINE {
        unroll<kGroup / (kMaxCols / kSide)>(
            [&](auto line) XPOSE_INLINE { ask_for(later + line * kLine, level); });
        later += kGroup / (kMaxCols / kSide) * kLine;
        transpose_tall<Size, true, true>(in + i * kGroup * kLine + c * Size, kLine,
                                         out + c * out_pitch + i * kVector, out_pitch, 0, kSide);
      });
  }

  // Whether rows may be read in place: granules of rows that are shorter read into the next row.
  bool readable(const uint8_t* in, int64_t rows) const {
    return row_bytes_ >= 16 || (dense_ && in + rows * row_bytes_ + 16 <= in_end_);
  }

  const Job& job_;
  int64_t row_bytes_;
  bool dense_;
  bool thin_;              // dense rows of 2, 3 or 4 elements, which are interleaved loads
  int64_t share_;          // rows of a group to ask for with each granule's columns
  int64_t lead_;           // bytes from a row to the one that is asked for
  const uint8_t* in_end_;  // of a dense matrix
  alignas(kLine) uint8_t packed_[kPair * kLine + 16] = {};
  alignas(kLine) uint8_t stage_[kStageBytes + 2 * kLine];
};

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
