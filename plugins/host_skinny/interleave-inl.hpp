// Few rows, longer than a line: groups of as many columns as a vector has elements become output
// rows, staged one behind the other. 2, 3 or 4 rows take Highway's interleaved stores; all others
// are cut into granules. Small matrices are transposed into the same stage, several of them before
// it leaves the first-level cache.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include "granules-inl.hpp"
#include "job.hpp"
#include "permuted-inl.hpp"
#include "stage-inl.hpp"
#include "thin-inl.hpp"

#if defined(XPOSE_HOST_SKINNY_INTERLEAVE) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SKINNY_INTERLEAVE
#undef XPOSE_HOST_SKINNY_INTERLEAVE
#else
#define XPOSE_HOST_SKINNY_INTERLEAVE
#endif

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

// The object is large; it lives on the thread's stack.
template <int Size>
class Interleave {
 public:
  explicit Interleave(const Job& job)
      : job_(job),
        row_bytes_(job.rows * Size),
        stage_(row_bytes_, job.out_pitch, job.streams),
        straight_(row_bytes_ >= 16 && !(job.streams && job.out_pitch == row_bytes_)) {}

  void run() {
    if (job_.form == Form::kSmall && transpose_permuted(job_, Size, stage_)) return stage_.finish();
    const int64_t bytes = job_.rows * job_.cols * Size;
    dense_ = job_.in_pitch == job_.cols * Size && job_.in_step == bytes;
    in_end_ = job_.in + job_.matrices * bytes;
    for (int64_t i = 0; i < job_.matrices; ++i) {
      const uint8_t* const in = job_.in + i * job_.in_step;
      uint8_t* const out = job_.out + i * job_.out_step;
      if (job_.form == Form::kSmall)
        small(in, out);
      else
        few_rows(in, out);
    }
    stage_.finish();
  }

 private:
  static constexpr int64_t kSide = 16 / Size;
  static constexpr int64_t kGroup = kVector / Size;  // columns
  static constexpr int64_t kThinCols = 4 * kLine / Size;
  // More rows than this are not asked for at once, but granule by granule: that many prefetches
  // together wait for each other. Fewer are better together.
  static constexpr int64_t kManyRows = 32;

  void few_rows(const uint8_t* in, uint8_t* out) {
    lead_ = std::max<int64_t>(1, lead_bytes(job_.ahead) / (job_.rows * kLine)) * kLine;
    const int64_t whole = job_.cols / kGroup * kGroup, rest = job_.cols - whole;
    const ptrdiff_t pitch = straight_ ? job_.out_pitch : row_bytes_;
    if (!straight_) stage_.begin(out);
    int64_t c = 0;
    const auto place = [&]() { return straight_ ? out + c * pitch : stage_.place(); };
    const auto advance = [&](int64_t cols) {
      c += cols;
      if (!straight_) stage_.advance(cols);
    };
    if (Size < 16 && job_.rows <= 4 && pitch == row_bytes_)
      for_few(job_.rows, [&](auto rows) XPOSE_INLINE {
        for (; c + kThinCols <= whole; advance(kThinCols)) thin<rows>(in + c * Size, place());
      });
    for (; c < whole; advance(kGroup)) group(in + c * Size, job_.in_pitch, place(), pitch);
    if (straight_) stage_.begin(out + whole * job_.out_pitch);
    if (rest == 0) return;
    copy_rows(in + whole * Size, job_.in_pitch, packed_, kVector, job_.rows, rest * Size);
    group(packed_, kVector, stage_.place(), row_bytes_);
    stage_.advance(rest);
  }

  // Transposes the columns of a vector from every row.
  HWY_NOINLINE void group(const uint8_t* in, ptrdiff_t pitch, uint8_t* out, ptrdiff_t out_pitch) {
    const bool at_once = job_.rows <= kManyRows;
    if (at_once) ask_for_later(in, pitch, job_.rows);
    const int64_t rows = job_.rows, high = std::min(rows, kSide);
    for_tiles(rows, kSide, [&](int64_t r) XPOSE_INLINE {
      if (!at_once) ask_for_later(in + r * pitch, pitch, high);
      transpose_wide<Size>(in + r * pitch, pitch, high, out + r * Size, out_pitch);
    });
  }

  HWY_INLINE void ask_for_later(const uint8_t* in, ptrdiff_t pitch, int64_t rows) const {
    for (int64_t r = 0; r < rows; ++r) ask_for(in + r * pitch + lead_, job_.ahead);
  }

  // Transposes kThinCols columns of 2, 3 or 4 rows to dense output rows. A loop of its own, since a
  // call for each vector takes longer than the vector itself.
  template <int Rows>
  HWY_NOINLINE void thin(const uint8_t* in, uint8_t* out) const {
    if constexpr (Size < 16) {
      const Lanes<Size> lanes;
      for (int64_t at = 0; at < kThinCols * Size; at += kLine) {
        unroll<Rows>(
            [&](auto r) XPOSE_INLINE { ask_for(in + r * job_.in_pitch + at + lead_, job_.ahead); });
        unroll<kLine / kVector>([&](auto i) XPOSE_INLINE {
          hn::Vec<Lanes<Size>> v[Rows];
          unroll<Rows>([&](auto r) XPOSE_INLINE {
            v[r] =
                hn::BitCast(lanes, hn::LoadU(Bytes(), in + r * job_.in_pitch + at + i * kVector));
          });
          store_rows<Rows>(lanes, v, out + Rows * (at + i * kVector));
        });
      }
    }
  }

  void small(const uint8_t* in, uint8_t* out) {
    const int64_t row_bytes = job_.cols * Size, bytes = job_.rows * row_bytes;
    ptrdiff_t pitch = job_.in_pitch;
    ask_for_rows(in + std::max<int64_t>(1, lead_bytes(job_.ahead) / bytes) * job_.in_step, pitch,
                 job_.rows, row_bytes, job_.ahead);
    // Granules of rows that are shorter read into the next row.
    if (row_bytes < 16 && (!dense_ || in + bytes + 16 > in_end_)) {
      copy_rows(in, pitch, packed_, row_bytes, job_.rows, row_bytes);
      in = packed_;
      pitch = row_bytes;
    }
    uint8_t* to = out;
    ptrdiff_t to_pitch = job_.out_pitch;
    if (!straight_) {
      stage_.begin(out);
      to = stage_.place();
      to_pitch = row_bytes_;
    }
    if (!transpose_thin<Size>(in, pitch, job_.rows, job_.cols, to, to_pitch))
      transpose_small<Size>(in, pitch, job_.rows, job_.cols, to, to_pitch);
    if (!straight_) stage_.advance(job_.cols);
  }

  const Job& job_;
  int64_t row_bytes_;  // of the output
  Stage stage_;
  bool straight_;       // to memory, where no line need leave at once and no store exceeds its row
  int64_t lead_ = 0;    // bytes
  bool dense_ = false;  // the input, matrix behind matrix
  const uint8_t* in_end_ = nullptr;  // of a dense input
  alignas(kLine)
      uint8_t packed_[kSmallBytes + 16] = {};  // or kVector bytes of fewer than a line's rows
};

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
