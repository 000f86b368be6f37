// An author's strategy, outside the tree: square tiles whose sides are one 64-byte line, sized at
// compile time so that the compiler keeps them in vector registers.
#include <algorithm>
#include <xpose/plugin.hpp>

using namespace xpose::plugin;

struct MyIdea {
  static Card card() {
    return {.name = "my_idea",
            .summary = "tiles of 64-byte lines",
            .element_sizes = 4 | 8,
            .prior_rank = 205,
            .axes = {{"panel", {256, 128, 64}}}};
  }

  static Quote quote(const Problem&, const Config& config) {
    return {.launch = "panels of " + std::to_string(config["panel"]) + " rows"};
  }

  MyIdea(const Problem& problem, const Config& config)
      : problem_(problem), panel_(config["panel"]) {}

  void launch(const Launch& launch) const {
    if (problem_.element_bytes == 4) run<uint32_t>(launch);
    if (problem_.element_bytes == 8) run<uint64_t>(launch);
  }

 private:
  template <class E>
  void run(const Launch& launch) const {
    constexpr int64_t kLine = 64 / sizeof(E);
    const auto* const in = static_cast<const E*>(launch.in);
    auto* const out = static_cast<E*>(launch.out);
    const int64_t panels = (problem_.rows + panel_ - 1) / panel_;
    run_parts(launch, static_cast<uint32_t>(panels), [&](int64_t panel) {
      const int64_t end = std::min(problem_.rows, (panel + 1) * panel_);
      for (int64_t c = 0; c < problem_.cols; c += kLine)
        for (int64_t r = panel * panel_; r < end; r += kLine) {
          const E* const source = in + r * problem_.in_ld + c;
          E* const target = out + c * problem_.out_ld + r;
          if (r + kLine <= end && c + kLine <= problem_.cols)
            tile(source, target, kLine, kLine);
          else
            tile(source, target, std::min(kLine, end - r), std::min(kLine, problem_.cols - c));
        }
    });
  }

  template <class E>
  [[gnu::always_inline]] void tile(const E* in, E* out, int64_t rows, int64_t cols) const {
    E lines[64 / sizeof(E)][64 / sizeof(E)];  // (cols, rows)
    for (int64_t r = 0; r < rows; ++r)
      for (int64_t c = 0; c < cols; ++c) lines[c][r] = in[r * problem_.in_ld + c];
    for (int64_t c = 0; c < cols; ++c)
      std::memcpy(out + c * problem_.out_ld, lines[c], static_cast<size_t>(rows) * sizeof(E));
  }

  Problem problem_;
  int64_t panel_;
};

XPOSE_PLUGIN("my_idea", "0.1", MyIdea)
