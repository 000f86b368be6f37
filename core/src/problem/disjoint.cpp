#include "problem/disjoint.hpp"

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <vector>

#include "problem/dimensions.hpp"

namespace xpose {
namespace {

// steps * stride, with steps from first to last.
struct Term {
  std::int64_t stride;
  std::int64_t first;
  std::int64_t last;
};

std::int64_t floor_divide(std::int64_t a, std::int64_t b) { return a / b - (a % b < 0 ? 1 : 0); }
std::int64_t ceil_divide(std::int64_t a, std::int64_t b) { return a / b + (a % b > 0 ? 1 : 0); }

// A sum of terms, the largest stride first.
class Sum {
 public:
  explicit Sum(std::vector<Term> terms) : terms_(std::move(terms)), rests_(terms_.size() + 1) {
    for (std::size_t i = terms_.size(); i-- > 0;) {
      const Term& term = terms_[i];
      rests_[i] = {std::gcd(rests_[i + 1].divisor, term.stride),
                   rests_[i + 1].least + term.first * term.stride,
                   rests_[i + 1].most + term.last * term.stride};
    }
  }

  // Whether the terms from the i-th on may add up to a number from low to high.
  bool may_reach(std::int64_t low, std::int64_t high, std::size_t i = 0) {
    const Rest& rest = rests_[i];
    low = std::max(low, rest.least);
    high = std::min(high, rest.most);
    if (low > high) return false;
    if (i == terms_.size() || --steps_left_ < 0) return true;
    if (floor_divide(high, rest.divisor) * rest.divisor < low) return false;
    const Term& term = terms_[i];
    const Rest& inner = rests_[i + 1];
    const std::int64_t last = std::min(term.last, floor_divide(high - inner.least, term.stride));
    for (std::int64_t step = std::max(term.first, ceil_divide(low - inner.most, term.stride));
         step <= last; ++step)
      if (may_reach(low - step * term.stride, high - step * term.stride, i + 1)) return true;
    return false;
  }

  // Whether the last answer came from a search that became long.
  bool gave_up() const { return steps_left_ < 0; }

 private:
  // The sum of the terms from one on: their common divisor, and bounds.
  struct Rest {
    std::int64_t divisor = 0;
    std::int64_t least = 0;
    std::int64_t most = 0;
  };

  std::vector<Term> terms_;
  std::vector<Rest> rests_;
  int steps_left_ = 100000;
};

}  // namespace

bool may_meet(const Problem& problem, std::int64_t bytes, std::span<const BatchDim> steps) {
  const std::int64_t element = problem.element_bytes;
  std::vector<Term> terms;
  const auto add = [&terms](const BatchDim& dim, std::int64_t unit) {
    terms.push_back({std::abs(dim.in_stride) * unit, 0, dim.extent - 1});
    terms.push_back({std::abs(dim.out_stride) * unit, 1 - dim.extent, 0});
  };
  for (const BatchDim& dim : dimensions(problem)) add(dim, element);
  for (const BatchDim& dim : steps) add(dim, 1);
  std::erase_if(terms, [](const Term& term) { return term.stride == 0; });
  std::ranges::sort(terms, std::ranges::greater{}, &Term::stride);
  std::vector<Term> merged;
  for (const Term& term : terms) {
    if (merged.empty() || merged.back().stride != term.stride) {
      merged.push_back(term);
      continue;
    }
    merged.back().first += term.first;
    merged.back().last += term.last;
  }
  return Sum(std::move(merged)).may_reach(bytes - (element - 1), bytes + (element - 1));
}

Overlap output_overlap(std::span<const BatchDim> dims) {
  std::vector<Term> terms;  // the difference of two indices
  for (const BatchDim& dim : dims) {
    if (dim.extent < 2) continue;
    if (dim.out_stride == 0) return Overlap::found;
    terms.push_back({std::abs(dim.out_stride), 1 - dim.extent, dim.extent - 1});
  }
  std::ranges::sort(terms, std::ranges::greater{}, &Term::stride);
  // Of the two elements, the one that is further along the first axis on which they differ.
  for (; !terms.empty(); terms.erase(terms.begin())) {
    std::vector<Term> ahead = terms;
    ahead.front().first = 1;
    Sum sum(std::move(ahead));
    if (sum.may_reach(0, 0)) return sum.gave_up() ? Overlap::unknown : Overlap::found;
  }
  return Overlap::none;
}

}  // namespace xpose
