// OpenBLAS's omatcopy: B = alpha * A^T out of place, here with alpha = 1. It multiplies every
// element, which turns a signalling NaN into a quiet one, so that it is timed beside the others and
// never chosen. Runs in one thread.
#include <cblas.h>

#include <limits>
#include <xpose/plugin.hpp>

using namespace xpose::plugin;

namespace {

struct Omatcopy {
  static Card card() {
    return {.name = "openblas_omatcopy",
            .summary = "somatcopy, domatcopy or zomatcopy of OpenBLAS, in one thread",
            .role = XPOSE_NUMERIC,
            .element_sizes = 4 | 8 | 16,
            .max_extent = std::numeric_limits<blasint>::max(),
            .prior_rank = 810};
  }

  static Quote quote(const Problem& problem, const Config&) {
    if (std::max(problem.in_ld, problem.out_ld) > std::numeric_limits<blasint>::max())
      throw Unsupported("OpenBLAS needs leading dimensions below 2^31 elements");
    return {.launch = "one thread"};
  }

  Omatcopy(const Problem& problem, const Config&) : problem_(problem) {}

  void launch(const Launch& launch) const {
    const auto rows = static_cast<blasint>(problem_.rows);
    const auto cols = static_cast<blasint>(problem_.cols);
    const auto in_ld = static_cast<blasint>(problem_.in_ld);
    const auto out_ld = static_cast<blasint>(problem_.out_ld);
    // Not const: 0.3.21 declares its inputs so.
    const auto in = [&]<class Number>(Number) {
      return static_cast<Number*>(const_cast<void*>(launch.in));
    };
    if (problem_.element_bytes == 4) {
      cblas_somatcopy(CblasRowMajor, CblasTrans, rows, cols, 1, in(float{}), in_ld,
                      static_cast<float*>(launch.out), out_ld);
    } else if (problem_.element_bytes == 8) {
      cblas_domatcopy(CblasRowMajor, CblasTrans, rows, cols, 1, in(double{}), in_ld,
                      static_cast<double*>(launch.out), out_ld);
    } else {
      const double one[2] = {1, 0};  // a complex number
      cblas_zomatcopy(CblasRowMajor, CblasTrans, rows, cols, one, in(double{}), in_ld,
                      static_cast<double*>(launch.out), out_ld);
    }
  }

  Problem problem_;
};

}  // namespace

XPOSE_PLUGIN("host_openblas", "1.0", Omatcopy)
