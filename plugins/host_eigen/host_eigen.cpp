// Eigen's own assignment of a transpose, as its users write it, and at the cost that they pay.
// Elements are opaque bytes, which Eigen only moves, so it competes like any other strategy.
#include <Eigen/Core>
#include <xpose/plugin.hpp>

#include "../kit/host/host_loop.hpp"

using namespace xpose::plugin;

namespace {

struct EigenTranspose {
  static Card card() {
    return {.name = "eigen_transpose",
            .summary = "out = in.transpose() of Eigen, in one thread",
            .min_alignment = 1,
            .prior_rank = 235};
  }

  // Its loops are the textbook's, along output rows. One thread takes so much longer than two.
  static Quote quote(const Problem& problem, const Config&) {
    constexpr uint32_t kOneThreadPercent = 60;
    Demand demand = host::demand_by_output_rows(problem);
    if (!host::is_for_one_thread(problem)) demand.slower_percent += kOneThreadPercent;
    return {.launch = "one thread", .demand = demand};
  }

  EigenTranspose(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    host::with_element(problem_.element_bytes, [&]<class E>(E) {
      using Matrix = Eigen::Matrix<E, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
      using Stride = Eigen::OuterStride<>;
      const Eigen::Map<const Matrix, Eigen::Unaligned, Stride> in(
          static_cast<const E*>(launch.in), problem_.rows, problem_.cols, Stride(problem_.in_ld));
      Eigen::Map<Matrix, Eigen::Unaligned, Stride> out(static_cast<E*>(launch.out), problem_.cols,
                                                       problem_.rows, Stride(problem_.out_ld));
      out = in.transpose();
    });
  }

  Problem problem_;
};

}  // namespace

XPOSE_PLUGIN("host_eigen", "1.0", EigenTranspose)
