// Squares transposed in place: blocks across the diagonal change places through small buffers.
#include <xpose/plugin.hpp>

#include "../kit/host/host_loop.hpp"
#include "../kit/host/least_target.hpp"
#include "../kit/matrices.hpp"
#include "kernels.hpp"

using namespace xpose::plugin;

namespace {

using host_in_place::Order;

struct InPlace {
  static Card card() {
    return {.name = "host_in_place",
            .summary = "squares in place: blocks across the diagonal change places",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .traits = XPOSE_TRAIT_IN_PLACE,
            .prior_rank = 100,
            .axes = {{"run", {256, 128}}, {"twins", {0, 1}}}};
  }

  // `run` is the bytes of a block's row.
  static Quote quote(const Problem& problem, const Config& config) {
    if (!problem.in_place) throw Unsupported("works in place only");
    host::require_least_target();
    const std::string side = std::to_string(config["run"] / problem.element_bytes);
    const auto run = static_cast<uint64_t>(config["run"]);
    return {
        .launch = "blocks " + side + "x" + side + ", " + host_in_place::kernels().front().target,
        .demand = {.load_run = run,
                   .store_run = run,
                   .slower_percent = follows_well(problem, order_of(config)) ? 0U : 6U}};
  }

  InPlace(const Problem& problem, const Config& config)
      : problem_(problem), run_(config["run"]), order_(order_of(config)) {}

  void launch(const Launch& launch) const {
    const bool batched = problem_.batch_rank != 0;
    const int64_t side = problem_.rows, size = problem_.element_bytes;
    const host_in_place::Squares squares = {
        .at = static_cast<uint8_t*>(launch.out),
        .side = side,
        .pitch = problem_.in_ld * size,
        .stride = batched ? problem_.batch[0].in_stride * size : 0};
    const host_in_place::Pairs pairs(host_in_place::blocks_of(side, size, run_), order_);
    host::split(launch, launch.threads, matrices_of(problem_) * pairs.of_a_matrix(),
                bytes_of(problem_), [&](int64_t first, int64_t last) {
                  host_in_place::kernels().front().swap(squares, problem_.element_bytes, run_,
                                                        order_, first, last);
                });
  }

 private:
  static Order order_of(const Config& config) {
    return config["twins"] != 0 ? Order::kTwins : Order::kRows;
  }

  // Where the lines of a column of blocks fall into few sets of a cache, the next pair should be of
  // another column, and elsewhere of the same rows. The other order is slower, on some processors
  // only.
  static bool follows_well(const Problem& problem, Order order) {
    const bool few_sets = problem.in_ld * problem.element_bytes % 4096 == 0;
    return (order == Order::kTwins) == few_sets;
  }

  Problem problem_;
  int64_t run_;
  Order order_;
};

}  // namespace

XPOSE_PLUGIN("host_in_place", "1.0", InPlace)
