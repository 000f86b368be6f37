// Output rows one behind the other in the first-level cache, whence they go to memory: as whole
// aligned lines where they follow each other there too, else row by row. Lines leave a few at a
// time and a while after they were stored: in parts, which cannot be forwarded to a load of the
// line. A stage that is emptied once it is full is slower.
//
// Included once for each target of Highway, as granules-inl.hpp is.
#include "../kit/host/ceil_div.hpp"
#include "granules-inl.hpp"
#include "job.hpp"

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

  static constexpr int64_t kMaxBytes = kSmallBytes;

  // The next row goes to `out`.
  void begin(uint8_t* out) {
    if (out == next_) return;
    finish();
    next_ = out;
    at_ = gone_ = dense() ? static_cast<int64_t>(reinterpret_cast<uintptr_t>(out) % kLine) : 0;
    to_ = out - at_;
  }

  // Where the next row is to be stored, with a line to spare behind the last one.
  uint8_t* place() { return staged_ + at_; }

  HWY_INLINE void advance(int64_t rows) {
    at_ += rows * row_bytes_;
    next_ += rows * out_pitch_;
    if (dense() && gone_ % kLine == 0)
      for (; gone_ + kLag <= at_; gone_ += kLine) write_line();
    if (at_ >= kFullBytes) make_room();
  }

  void finish() {
    if (dense()) {
      write_head();
      for (; gone_ + kLine <= at_; gone_ += kLine) write_line();
      copy_bytes(staged_ + gone_, to_ + gone_, at_ - gone_);
    } else {
      write_rows();
    }
    at_ = gone_ = 0;
    next_ = nullptr;
  }

 private:
  static constexpr int64_t kFullBytes = 8192, kLag = 1024;

  bool dense() const { return out_pitch_ == row_bytes_; }

  HWY_INLINE void write_line() {
    if (streams_)
      stream_line(staged_ + gone_, to_ + gone_);
    else
      copy_line(staged_ + gone_, to_ + gone_);
  }

  // To the end of the first line, or of the staged bytes.
  void write_head() {
    const int64_t end = std::min(at_, host::ceil_div(gone_, kLine) * kLine);
    copy_bytes(staged_ + gone_, to_ + gone_, end - gone_);
    gone_ = end;
  }

  void write_rows() {
    const int64_t rows = at_ / row_bytes_;
    copy_rows(staged_, row_bytes_, to_, out_pitch_, rows, row_bytes_);
    to_ += rows * out_pitch_;
    at_ = 0;
  }

  HWY_NOINLINE void make_room() {
    if (!dense()) return write_rows();
    write_head();
    for (; gone_ + kLag <= at_; gone_ += kLine) write_line();
    for (int64_t at = gone_; at < at_; at += kLine) copy_line(staged_ + at, staged_ + at - gone_);
    to_ += gone_;
    at_ -= gone_;
    gone_ = 0;
  }

  int64_t row_bytes_, out_pitch_;
  bool streams_;
  uint8_t* next_ = nullptr;  // where the next row goes
  uint8_t* to_ = nullptr;    // where the first staged byte goes
  int64_t at_ = 0;           // staged bytes
  int64_t gone_ = 0;         // of those, not to be written any more
  alignas(kLine) uint8_t staged_[kFullBytes + kMaxBytes + 2 * kLine];
};

}  // namespace HWY_NAMESPACE
}  // namespace host_skinny
HWY_AFTER_NAMESPACE();

#endif
