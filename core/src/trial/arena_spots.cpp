// The arena's part in looking at single elements right after a launch.
#include <algorithm>
#include <array>
#include <cstring>

#include "problem/normal_form.hpp"
#include "trial/arena.hpp"

namespace xpose {
namespace {

// The dimension of an output pattern that has this stride, in elements of the pattern.
int dim_of(const Pattern& pattern, std::int64_t stride) {
  for (int d = 0; d < pattern.rank; ++d)
    if (pattern.dims[d].stride == stride) return d;
  return -1;
}

// The input of a copy, in whole elements: it begins before element 0 where that is misaligned.
Pattern copied(Pattern input, std::uint64_t end) {
  const std::uint64_t bytes = end - std::min(end, input.begin);
  Pattern::Dim& dim = input.dims[0];
  dim.extent = std::min(dim.extent, static_cast<std::int64_t>(bytes / input.element_bytes));
  return input;
}

}  // namespace

Spots Arena::spots(Launched launched, std::size_t first_set, std::size_t sets,
                   std::uint32_t of_set) const {
  Spots spots;
  spots.in_begin = in_offset_;
  spots.of_pair = of_set;
  spots.pattern = expected_;
  if (launched == Launched::copy) {
    spots.in_begin = in_begin_;
    spots.pattern = copied(input_, kCopyOffset + bytes_);
    if (spots.pattern.dims[0].extent == 0) return spots;  // not one whole element
  } else if (problem_.in_place) {
    const std::int64_t parts = parts_of_element(problem_);
    spots.in_begin = out_offset_;
    spots.row_dim = dim_of(expected_, parts);
    spots.col_dim = dim_of(expected_, problem_.out_ld * parts);
  }
  const bool in_place = problem_.in_place && launched == Launched::transpose;
  for (std::size_t i = 0; i < std::min<std::size_t>(sets, Spots::kMostPairs); ++i) {
    const Set& set = sets_.at((first_set + i) % sets_.size());
    spots.pair[spots.pairs++] = {in_place ? set.out.data() : set.in.data(), set.out.data()};
  }
  return spots;
}

Spots Arena::change_spots(Spots spots, std::uint64_t seed) {
  spots.seed = seed;
  // A normal number stays one where its lowest bit changes.
  spots.flip = content_ == Content::numbers ? 1 : ~std::uint64_t{0};
  if (spots.pairs > 0) backend_.set_spots(spots);
  return spots;
}

Outcome Arena::check_spots(Spots spots, Launched launched) {
  if (spots.pairs == 0) return {};
  const std::optional<std::uint32_t> wrong = backend_.wrong_spot(spots);
  Outcome outcome;
  if (wrong) outcome = explain_spot(spot_at(spots, *wrong), launched);
  spots.flip = 0;
  backend_.set_spots(spots);  // the input as it was
  return outcome;
}

bool Arena::is_written(const Spots& spots) {
  return spots.pairs == 0 || !backend_.wrong_spot(spots);
}

Outcome Arena::explain_spot(const Spot& spot, Launched launched) {
  const std::uint32_t size = expected_.element_bytes;
  std::array<std::byte, 16> found{};
  std::array<std::byte, 16> before{};
  backend_.download(found.data(), spot.out, size);
  write_element(before.data(), spot.usual, size);
  const std::string words =
      std::string(found == before ? "but was not written" : "but holds something else") +
      " when a timed launch returned";
  if (launched == Launched::copy)
    return {Verdict::wrong_result, "element " + std::to_string(spot.position) +
                                       " of the bytes should be copied, " + words};
  const std::int64_t parts = parts_of_element(problem_);
  const OutputPosition at = locate_output(problem_, spot.position / parts);
  return {Verdict::wrong_result, (parts > 1 ? describe_part(spot.position % parts) : "") +
                                     describe(problem_, at) + " should be in[" +
                                     std::to_string(at.row) + ',' + std::to_string(at.col) + "], " +
                                     words};
}

}  // namespace xpose
