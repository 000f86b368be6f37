// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

#include "../kit/host/each_target-inl.hpp"
#include "beside-inl.hpp"
#include "blocks-inl.hpp"
#include "picks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_permute {
namespace HWY_NAMESPACE {

// Whole lines, aligned in the output. After each, lines are asked for.
HWY_INLINE void stream_lines(const uint8_t* from, uint8_t* to, int64_t bytes, Lines& ahead) {
  const uint8_t* const base = ahead.base;
  const int64_t* line = ahead.next;
  for (int64_t at = 0; at < bytes; at += kLine) {
    stream_line(from + at, to + at);
    const int64_t* const until = std::min(line + ahead.each, ahead.end);
    for (; line < until; ++line) ask_for(base + *line, ahead.level);
  }
  ahead.next = line;
}

int64_t bytes_before_line(const uint8_t* to) {
  return static_cast<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLine);
}

void stream(const uint8_t* from, uint8_t* to, int64_t bytes, Lines& ahead) {
  const host::WholeLines whole = host::write_ends(from, to, bytes);
  stream_lines(from + whole.begin, to + whole.begin, whole.bytes, ahead);
}

void stream_pieces(const Blocks& b, int64_t bytes, Lines& ahead) {
  alignas(kLine) uint8_t room[3 * kLine];
  uint8_t* const line = room + kLine;  // that the piece before has begun
  bool has_begun = false;
  for (int64_t i = 0; i < b.count; ++i) {
    const uint8_t* const from = b.in + b.pieces[i].in;
    uint8_t* const to = b.out + b.pieces[i].out;
    const int64_t head = bytes_before_line(to);
    const int64_t end = head + (bytes - head) / kLine * kLine;
    if (!has_begun) {
      std::memcpy(to, from, static_cast<size_t>(head));
    } else if (head != 0) {
      copy_line(from, line + kLine - head);
      stream_line(line, to + head - kLine);
    }
    stream_lines(from + head, to + head, end - head, ahead);
    const int64_t rest = bytes - end;
    has_begun = rest != 0 && i + 1 < b.count && b.pieces[i + 1].out == b.pieces[i].out + bytes;
    if (has_begun)
      copy_line(from + bytes - kLine, line + rest - kLine);
    else
      std::memcpy(to + end, from + end, static_cast<size_t>(rest));
  }
}

void finish() { hwy::FlushStream(); }

Kernels kernels_here() {
  return {hwy::TargetName(HWY_TARGET),
          transpose,
          transpose_beside,
          pick,
          pick_width(),
          copy,
          stream,
          stream_pieces,
          finish};
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_permute {

const std::vector<Kernels>& kernels() {
  static const auto& all = *new auto(HOST_RUNNABLE(Kernels, kernels_here));
  return all;
}

}  // namespace host_permute
#endif
