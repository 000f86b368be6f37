// Strategies that move what they should not, and those that break the plugin's contract.
#include <atomic>
#include <string>

#include "harm.hpp"

namespace {

using harm::bytes_of;

char* at(const void* base, int64_t element, uint32_t bytes) {
  return const_cast<char*>(static_cast<const char*>(base)) + element * bytes;
}

HARM(two_swapped, {
  Harm::launch(launch);
  const uint32_t bytes = problem_.element_bytes;
  char held[16];
  std::memcpy(held, at(launch.out, 40, bytes), bytes);
  std::memcpy(at(launch.out, 40, bytes), at(launch.out, 41, bytes), bytes);
  std::memcpy(at(launch.out, 41, bytes), held, bytes);
})
HARM(last_bit, {
  Harm::launch(launch);
  *at(launch.out, bytes_of(problem_) / problem_.element_bytes - 1, problem_.element_bytes) ^= 1;
})
HARM(last_column_missing, {
  harm::Problem narrow = problem_;
  --narrow.cols;
  harm::transpose(narrow, launch);
})
HARM(right_at_odd_calls, {
  static std::atomic<int> calls = 0;
  if (calls++ % 2 == 0) Harm::launch(launch);
})
HARM(backwards, {
  Harm::launch(launch);
  harm::Problem back = problem_;
  std::swap(back.rows, back.cols);
  std::swap(back.in_ld, back.out_ld);
  harm::Launch other = launch;
  other.in = launch.out;
  other.out = const_cast<void*>(launch.in);
  *static_cast<char*>(launch.out) ^= 1;
  harm::transpose(back, other);
})
HARM(far_away, {
  Harm::launch(launch);
  *at(launch.out, -16, 1) = 1;
})

struct changing_quotes : harm::Harm<changing_quotes> {
  static constexpr const char* name() { return "changing_quotes"; }
  static harm::Quote quote(const harm::Problem&, const harm::Config&) {
    static std::atomic<int> asked = 0;
    if (asked++ % 2 == 1) throw std::runtime_error("not again");
    return {.launch = "harm"};
  }
  using Harm::Harm;
};
struct endless_words : harm::Harm<endless_words> {
  static constexpr const char* name() { return "endless_words"; }
  using Harm::Harm;
  void launch(const harm::Launch&) const {
    throw std::runtime_error("\033[2J\xe2\x80\xae" + std::string(1 << 20, '\n') + '\xff');
  }
};
struct aligned_nowhere : harm::Harm<aligned_nowhere> {
  static constexpr const char* name() { return "aligned_nowhere"; }
  static harm::Quote quote(const harm::Problem&, const harm::Config&) {
    return {.workspace_bytes = ~uint64_t{0}, .launch = "harm"};
  }
  using Harm::Harm;
};

}  // namespace

XPOSE_PLUGIN("wrong", "1.0", two_swapped, last_bit, last_column_missing, right_at_odd_calls,
             backwards, far_away, changing_quotes, endless_words, aligned_nowhere)
