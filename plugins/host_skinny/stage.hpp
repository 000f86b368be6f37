// Output rows one behind the other in the first-level cache, whence they go to memory: as whole
// aligned lines where they follow each other there too, else row by row.
//
// Included once for each target of Highway, as granules.hpp is.
#include "granules.hpp"

#if defined(XPOSE_HOST_SKINNY_STAGE) == defined(HWY_TARGET_TOGGLE)
#ifdef XPOSE_HOST_SKINNY_STAGE
#undef XPOSE_HOST_SKINNY_STAGE
#else
#define XPOSE_HOST_SKINNY_STAGE
#endif

HWY_BEFORE_NAMESPACE();
namespace host_skinny {
namespace HWY_NAMESPACE {

// The object is large; it lives on the thread's stack.
class Stage {
 public:
  // Of each output row, and from one to the next. kMaxBytes may be placed at once.
  Stage(int64_t row_bytes, int64_t out_pitch, bool streams)
      : row_bytes_(row_bytes), out_pitch_(out_pitch), streams_(streams) {}

  static constexpr int64_t kMaxBytes = 4096;

  // The next row goes to `out`.
  void begin(uint8_t* out) {
    if (out == next_) return;
    finish();
    next_ = out;
    skip_ = at_ = dense() ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kLine) : 0;
    to_ = out - skip_;
  }

  // Where the next row is to be stored, with a granule's row to spare behind the last one.
  uint8_t* place() { return staged_ + at_; }

  HWY_INLINE void advance(int64_t rows) {
    at_ += rows * row_bytes_;
    next_ += rows * out_pitch_;
    if (at_ >= kFullBytes) flush();
  }

  void finish() {
    flush();
    if (dense() && at_ > skip_)
      copy_bytes(staged_ + skip_, to_ + skip_, at_ - skip_);  // less than a line
    at_ = skip_ = 0;
    next_ = nullptr;
  }

 private:
  static constexpr int64_t kFullBytes = 4096;

  bool dense() const { return out_pitch_ == row_bytes_; }

  HWY_NOINLINE void flush() {
    if (!dense()) {
      const int64_t rows = at_ / row_bytes_;
      copy_rows(staged_, row_bytes_, to_, out_pitch_, rows, row_bytes_);
      to_ += rows * out_pitch_;
      at_ = 0;
      return;
    }
    const int64_t end = at_ / kLine * kLine;
    if (end == 0) return;
    int64_t line = 0;
    if (skip_ != 0) {  // the first line is another's, too
      copy_bytes(staged_ + skip_, to_ + skip_, kLine - skip_);
      line = kLine;
      skip_ = 0;
    }
    if (streams_)
      for (; line < end; line += kLine) stream_line(staged_ + line, to_ + line);
    else
      for (; line < end; line += kLine) copy_line(staged_ + line, to_ + line);
    copy_line(staged_ + end, staged_);
    to_ += end;
    at_ -= end;
  }

  int64_t row_bytes_, out_pitch_;
  bool streams_;
  uint8_t* next_ = nullptr;  // where the next row goes
  uint8_t* to_ = nullptr;    // where the first staged byte goes
  int64_t at_ = 0;           // staged bytes
  int64_t skip_ = 0;         // of those, not to be written
  alignas(kLine) uint8_t staged_[kFullBytes + kMaxBytes + 2 * kLine];
};

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
