#include "tuning/stand_in.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "problem/alignment.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

constexpr std::int64_t kPage = 4096;  // bytes; offsets in it decide the cache sets of rows

// A dimension of one of the two buffers.
struct Dim {
  std::int64_t old_extent;
  std::int64_t extent;
  std::int64_t* stride;  // in and out: the old one, and the new one
};

// Shorter sides and strides that begin rows at the same offsets as the long ones. In elements.
class Shortening {
 public:
  Shortening(std::uint32_t element_bytes, const RacePolicy& policy)
      : element_bytes_(element_bytes), widest_stride_(policy.widest_stride_bytes) {}

  // The most elements up to `most` that begin the next row where `side` does.
  std::int64_t side(std::int64_t side, std::int64_t most) const {
    if (most >= side) return side;
    const std::int64_t every = period(side, most);
    const std::int64_t shorter = side - (side - most + every - 1) / every * every;
    return shorter > 0 ? shorter : side;
  }

  // The strides of a buffer's dimensions, dense ones dense again.
  void strides(std::vector<Dim> dims) const;

 private:
  // The period, in elements, of the offsets that a run of so many elements must keep: a page, or
  // the power of two in the run where there is room for it in `most` elements.
  std::int64_t period(std::int64_t elements, std::int64_t most) const {
    const std::int64_t bytes = elements * element_bytes_;
    std::int64_t modulus = std::clamp(bytes & -bytes, kPage, widest_stride_);
    while (modulus > kPage && modulus > most * element_bytes_) modulus /= 2;
    return modulus / std::gcd(modulus, element_bytes_);
  }

  // The stride of a dimension behind a gap, when the dimensions in front of it became shorter.
  std::int64_t behind_gap(std::int64_t stride, std::int64_t old_dense, std::int64_t dense) const {
    if (dense == old_dense) return stride;
    const double scale = static_cast<double>(dense) / static_cast<double>(old_dense);
    const auto most = static_cast<std::int64_t>(static_cast<double>(stride) * scale);
    const std::int64_t every = period(stride, most);
    const std::int64_t least = dense + std::min(stride - old_dense, every);
    const std::int64_t shorter = stride - (stride - least) / every * every;
    return std::min(shorter, stride);
  }

  std::int64_t element_bytes_;
  std::int64_t widest_stride_;  // bytes
};

void Shortening::strides(std::vector<Dim> dims) const {
  std::ranges::stable_sort(dims, {}, [](const Dim& dim) { return std::abs(*dim.stride); });
  std::int64_t old_dense = 1;  // the stride of the next dimension if there is no gap
  std::int64_t dense = 1;
  for (Dim& dim : dims) {
    const std::int64_t sign = *dim.stride < 0 ? -1 : 1;
    const std::int64_t old = std::abs(*dim.stride);
    std::int64_t stride = old;
    if (old == old_dense)
      stride = dense;
    else if (old > old_dense)
      stride = behind_gap(old, old_dense, dense);
    // A smaller stride interlocks with others or repeats: the shorter dimension has room as it is.
    old_dense = std::max(old_dense, old * dim.old_extent);
    dense = std::max(dense, stride * dim.extent);
    *dim.stride = sign * stride;
  }
}

// The strides of `old`, for the extents of `shorter`.
void restride(const Problem& old, Problem& shorter, const Shortening& shortening) {
  std::int64_t one = 1;
  std::vector<Dim> in = {{old.cols, shorter.cols, &one}, {old.rows, shorter.rows, &shorter.in_ld}};
  for (std::size_t i = 0; i < old.batch.size(); ++i)
    in.push_back({old.batch[i].extent, shorter.batch[i].extent, &shorter.batch[i].in_stride});
  shortening.strides(std::move(in));
  one = 1;
  std::vector<Dim> out = {{old.rows, shorter.rows, &one},
                          {old.cols, shorter.cols, &shorter.out_ld}};
  for (std::size_t i = 0; i < old.batch.size(); ++i)
    out.push_back({old.batch[i].extent, shorter.batch[i].extent, &shorter.batch[i].out_stride});
  shortening.strides(std::move(out));
}

// Whether `shorter` has the class of `normal` and is small enough.
bool serves(const Problem& normal, const Problem& shorter, std::uint64_t bytes) {
  if (Arena::footprint(shorter, 1) > bytes) return false;
  const Problem folded = normal_form(shorter);
  return folded.batch.size() == normal.batch.size() &&
         row_alignment(folded) == row_alignment(normal) && folded.rows == shorter.rows &&
         folded.cols == shorter.cols;
}

// Makes the longest dimension shorter; false where it is short already.
bool shorten_batch(std::vector<BatchDim>& batch, const RacePolicy& policy) {
  const auto longest = std::ranges::max_element(batch, {}, &BatchDim::extent);
  if (longest == batch.end() || longest->extent <= policy.least_batches) return false;
  const double exact = static_cast<double>(longest->extent) * policy.batch_step;
  longest->extent = std::max(policy.least_batches, static_cast<std::int64_t>(exact));
  return true;
}

}  // namespace

std::optional<Problem> stand_in(const Problem& normal, std::uint64_t bytes,
                                const RacePolicy& policy) {
  const std::uint32_t size = normal.element_bytes;
  const Shortening shortening(size, policy);
  std::vector<BatchDim> batch = normal.batch;
  const auto with_sides = [&](std::int64_t rows, std::int64_t cols) {
    Problem shorter = normal;
    shorter.rows = rows;
    shorter.cols = cols;
    for (std::size_t i = 0; i < batch.size(); ++i) shorter.batch[i].extent = batch[i].extent;
    restride(normal, shorter, shortening);
    return shorter;
  };
  do {
    const Problem shorter = with_sides(normal.rows, normal.cols);
    if (serves(normal, shorter, bytes)) return normal_form(shorter);
  } while (shorten_batch(batch, policy));

  const std::int64_t least = std::max(policy.least_side_elements, policy.least_side_bytes / size);
  const auto scaled = [&](std::int64_t side, double factor) {
    const auto exact = static_cast<std::int64_t>(static_cast<double>(side) * factor);
    return shortening.side(side, std::max(exact, std::min(side, least)));
  };
  for (double factor = policy.side_step;; factor *= policy.side_step) {
    const Problem shorter = with_sides(scaled(normal.rows, factor), scaled(normal.cols, factor));
    if (serves(normal, shorter, bytes)) return normal_form(shorter);
    if (static_cast<double>(std::max(normal.rows, normal.cols)) * factor <
        static_cast<double>(least))
      return std::nullopt;
  }
}

}  // namespace xpose
