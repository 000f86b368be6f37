// Transposes a block by squares while the runs of the block before it leave their buffer: between
// the loads and the stores of a square as many lines are written, and asked for, as it has.
// Shuffles then need not wait for non-temporal stores, nor memory for shuffles.
//
// Included once for each target of Highway, as register_tile-inl.hpp is.
#include <algorithm>
#include <cstring>

#include "../kit/host/lines-inl.hpp"
#include "blocks-inl.hpp"
#include "kernels.hpp"

#if defined(XPOSE_HOST_PERMUTE_BESIDE) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_PERMUTE_BESIDE
#undef XPOSE_HOST_PERMUTE_BESIDE
#else
#define XPOSE_HOST_PERMUTE_BESIDE
#endif

HWY_BEFORE_NAMESPACE();
namespace host_permute {
namespace HWY_NAMESPACE {

using namespace host::HWY_NAMESPACE;

// Writes the runs and asks for lines, one step a line.
class Writer {
 public:
  HWY_INLINE Writer(const std::vector<Run>& runs, const Lines& ahead)
      : run_(runs.data()), runs_end_(run_ + runs.size()), line_(ahead.next), ahead_(ahead) {
    begin_run();
  }

  // Calls square(step), whose step(i) is one for every i < Count. Lines are asked for also where
  // none is left to be written.
  template <int Count, class Square>
  HWY_INLINE void beside(const Square& square) {
    if (ahead_.each != 1 || left_ < Count * kLine || ahead_.end - line_ < Count)
      return square([&](int) XPOSE_INLINE { step(); });
    const bool is_first_level = ahead_.level == 1;
    square([&](int i) XPOSE_INLINE {
      stream_line(from_ + i * kLine, to_ + i * kLine);
      ask_for(ahead_.base + line_[i], is_first_level ? 1 : 2);
    });
    line_ += Count;
    written(Count * kLine);
  }

  // Writes all that is left. Returns the first line that is left to be asked for.
  HWY_INLINE const int64_t* finish() {
    while (left_ != 0) step();
    return line_;
  }

 private:
  HWY_INLINE void begin_run() {
    if (run_ == runs_end_) return;
    from_ = run_->from;
    to_ = run_->to;
    left_ = run_->bytes;
    ++run_;
  }

  HWY_INLINE void step() {
    if (left_ != 0) {
      stream_line(from_, to_);
      written(kLine);
    }
    const int64_t* const until = std::min(line_ + ahead_.each, ahead_.end);
    for (; line_ < until; ++line_) ask_for(ahead_.base + *line_, ahead_.level);
  }

  HWY_INLINE void written(int64_t bytes) {
    from_ += bytes;
    to_ += bytes;
    left_ -= bytes;
    if (left_ == 0) begin_run();
  }

  const Run* run_;  // that is begun next
  const Run* const runs_end_;
  const int64_t* line_;
  const Lines ahead_;
  const uint8_t* from_ = nullptr;
  uint8_t* to_ = nullptr;
  int64_t left_ = 0;  // bytes of the run that is begun
};

template <int Size, int Side>
HWY_INLINE void transpose_beside_by(const Blocks& blocks, int64_t side, Writer& writer) {
  if constexpr (kLinesOf<Size, Side> == 0) {
    transpose_by<Size, Side>(blocks, side);
  } else {
    if (side >= Side)
      return transpose_squares<Size, Side>(blocks, [&](const auto& square) XPOSE_INLINE {
        writer.template beside<kLinesOf<Size, Side>>(square);
      });
    transpose_beside_by<Size, next_side<Size, Side>()>(blocks, side, writer);
  }
}

void transpose_beside(const Blocks& blocks, int64_t unit, const std::vector<Run>& runs,
                      Lines& ahead) {
  Writer writer(runs, ahead);
  const int64_t side = std::min(blocks.rows, blocks.cols);
  if (unit == 2)
    transpose_beside_by<2, 8>(blocks, side, writer);
  else if (unit == 4)
    transpose_beside_by<4, kVector / 4>(blocks, side, writer);
  else
    transpose(blocks, unit);
  ahead.next = writer.finish();
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#endif
