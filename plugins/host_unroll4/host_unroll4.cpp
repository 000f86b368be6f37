// The textbook loops with four elements a step: four independent loads are in flight before the
// first store, and the loop's own arithmetic is paid once for four elements.
#include <xpose/plugin.hpp>

#include "../kit/host/host_loop.hpp"
#include "../kit/host/processor.hpp"

using namespace xpose::plugin;

namespace {

// target[i * target_step] = source[i * source_step] for i < count
template <class E>
void move_by_four(const E* source, int64_t source_step, E* target, int64_t target_step,
                  int64_t count) {
  int64_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const E* const s = source + i * source_step;
    E* const t = target + i * target_step;
    const E a = s[0], b = s[source_step], c = s[2 * source_step], d = s[3 * source_step];
    t[0] = a;
    t[target_step] = b;
    t[2 * target_step] = c;
    t[3 * target_step] = d;
  }
  for (; i < count; ++i) target[i * target_step] = source[i * source_step];
}

struct Unroll4Row {
  static Card card() {
    return {.name = "host_unroll4_row",
            .summary = "reads along input rows, four elements a step",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 240};
  }

  static Quote quote(const Problem& problem, const Config&) {
    return {.launch = "one input row a step, 4 elements at once",
            .demand = host::demand_by_input_rows(problem)};
  }

  Unroll4Row(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes, [&]<class E>(E) {
      host::for_each_step<E>(
          problem_, launch, problem_.rows, [&](const E* in, E* out, int64_t row) {
            move_by_four(in + row * problem_.in_ld, 1, out + row, problem_.out_ld, problem_.cols);
          });
    });
  }

  Problem problem_;
};

struct Unroll4Col {
  static Card card() {
    return {.name = "host_unroll4_col",
            .summary = "writes along output rows, four elements a step",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 220};
  }

  // Short output rows of 8-byte elements that lie a line or more apart take so much longer than one
  // element at a time, unless the processor is of AMD.
  static uint32_t lone_percent(const Problem& problem) {
    constexpr int64_t kShortRow = 112;  // bytes
    const bool is_short = problem.element_bytes == 8 && problem.rows * 8 <= kShortRow;
    return is_short && host::out_gap(problem) >= host::kLine && !host::is_of_amd() ? 25 : 0;
  }

  static Quote quote(const Problem& problem, const Config&) {
    Demand demand = host::demand_by_output_rows(problem);
    demand.slower_percent += lone_percent(problem);
    return {.launch = "one output row a step, 4 elements at once", .demand = demand};
  }

  Unroll4Col(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes, [&]<class E>(E) {
      host::for_each_step<E>(
          problem_, launch, problem_.cols, [&](const E* in, E* out, int64_t col) {
            move_by_four(in + col, problem_.in_ld, out + col * problem_.out_ld, 1, problem_.rows);
          });
    });
  }

  Problem problem_;
};

}  // namespace

XPOSE_PLUGIN("host_unroll4", "1.0", Unroll4Row, Unroll4Col)
