// The strategy my_idea: panels of columns, on the threads that the library lends to a launch.
#include <algorithm>
#include <cstdint>
#include <xpose/plugin.hpp>

using namespace xpose::plugin;

struct MyIdeaStrategy {
  // The name and summary that users see, and the values of each axis; the first is the default.
  static Card card() {
    return {.name = "my_idea",
            .summary = "panels of columns",
            .element_sizes = 4,
            .axes = {{"panel", {16, 32, 64}}}};
  }

  // Throw Unsupported("why") for a problem that this config cannot serve.
  static Quote quote(const Problem&, const Config&) { return {.launch = "panels on all threads"}; }

  MyIdeaStrategy(const Problem& problem, const Config& config)
      : p(problem), panel(config["panel"]) {}

  // out[c * out_ld + r] = in[r * in_ld + c]. Elements are bytes: move them as integers.
  void launch(const Launch& launch) const {
    const auto* const in = static_cast<const std::uint32_t*>(launch.in);
    auto* const out = static_cast<std::uint32_t*>(launch.out);
    const std::int64_t parts = (p.cols + panel - 1) / panel;
    run_parts(launch, static_cast<std::uint64_t>(parts), [&](std::uint64_t part) {
      const std::int64_t first = static_cast<std::int64_t>(part) * panel;
      const std::int64_t last = std::min(p.cols, first + panel);
      for (std::int64_t r = 0; r < p.rows; ++r)
        for (std::int64_t c = first; c < last; ++c) out[c * p.out_ld + r] = in[r * p.in_ld + c];
    });
  }

  Problem p;
  std::int64_t panel;
};

XPOSE_PLUGIN("my_idea", "1.0", MyIdeaStrategy)
