// The two textbook loops: one element at a time, along the input's rows or along the output's. The
// first takes any order of axes, so that some strategy fits every problem on every processor.
#include <xpose/plugin.hpp>

#include "../kit/host/host_loop.hpp"

using namespace xpose::plugin;

namespace {

struct NaiveRow {
  static Card card() {
    return {.name = "host_naive_row",
            .summary = "reads along input rows, writes one element to each output row",
            .min_alignment = 1,
            .max_batch_rank = XPOSE_MAX_BATCH_RANK,
            .traits = XPOSE_TRAIT_PERMUTES,
            .prior_rank = 250};
  }

  static Quote quote(const Problem& problem, const Config&) {
    return {.launch = "one input row a step", .demand = host::demand_by_input_rows(problem)};
  }

  NaiveRow(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes, [&]<class E>(E) {
      host::for_each_step<E>(problem_, launch, problem_.rows,
                             [&](const E* in, E* out, int64_t row) {
                               const E* const source = in + row * problem_.in_ld;  // (cols)
                               E* const target = out + row;  // (cols), out_ld apart
                               for (int64_t c = 0; c < problem_.cols; ++c)
                                 target[c * problem_.out_ld] = source[c];
                             });
    });
  }

  Problem problem_;
};

struct NaiveCol {
  static Card card() {
    return {.name = "host_naive_col",
            .summary = "writes along output rows, reads one element of each input row",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 230};
  }

  static Quote quote(const Problem& problem, const Config&) {
    return {.launch = "one output row a step", .demand = host::demand_by_output_rows(problem)};
  }

  NaiveCol(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes, [&]<class E>(E) {
      host::for_each_step<E>(problem_, launch, problem_.cols,
                             [&](const E* in, E* out, int64_t col) {
                               const E* const source = in + col;  // (rows), in_ld apart
                               E* const target = out + col * problem_.out_ld;  // (rows)
                               for (int64_t r = 0; r < problem_.rows; ++r)
                                 target[r] = source[r * problem_.in_ld];
                             });
    });
  }

  Problem problem_;
};

}  // namespace

XPOSE_PLUGIN("host_naive", "1.0", NaiveRow, NaiveCol)
