// Compiles the kernels for every target of Highway.
#include "kernels.hpp"

#include "../kit/host/each_target-inl.hpp"
#include "blocks-inl.hpp"
#include "picks-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace host_permute {
namespace HWY_NAMESPACE {

void stream(const uint8_t* from, uint8_t* to, int64_t bytes, Lines& ahead) {
  const int64_t head = std::min<int64_t>(-reinterpret_cast<uintptr_t>(to) % kLine, bytes);
  std::memcpy(to, from, static_cast<size_t>(head));
  const uint8_t* const base = ahead.base;
  const int64_t* line = ahead.next;
  int64_t at = head;
  for (; at + kLine <= bytes; at += kLine) {
    stream_line(from + at, to + at);
    const int64_t* const until = std::min(line + ahead.each, ahead.end);
    for (; line < until; ++line) ask_for(base + *line, ahead.level);
  }
  ahead.next = line;
  std::memcpy(to + at, from + at, static_cast<size_t>(bytes - at));
}
void finish() { hwy::FlushStream(); }

Kernels kernels_here() {
  return {hwy::TargetName(HWY_TARGET), transpose, pick, pick_width(), copy, stream, finish};
}

}  // namespace HWY_NAMESPACE
}  // namespace host_permute
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace host_permute {

const std::vector<Kernels>& kernels() {
  static const auto all = HOST_RUNNABLE(Kernels, kernels_here);
  return all;
}

}  // namespace host_permute
#endif
