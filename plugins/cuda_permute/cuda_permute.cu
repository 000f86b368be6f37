// Any permutation of axes in one launch, by tiles that span several of them.
#include <algorithm>
#include <bit>
#include <memory>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <xpose/cuda.hpp>

#include "../kit/cuda/cuda_card.hpp"
#include "permute.cuh"
#include "places.hpp"
#include "tiling.hpp"

using namespace xpose;
using namespace xpose::plugin;

namespace {

using cuda_permute::Axis;
using cuda_permute::Form;
using cuda_permute::Inner;
using cuda_permute::Tile;

// Kept runs from so many bytes on may pass by shared memory, and from kAlwaysDirect on they do.
constexpr int64_t kLeastDirect = 32, kAlwaysDirect = 128;
constexpr uint32_t kUsualMultiprocessors = 132;
constexpr int64_t kWord = 4;  // bytes

// What is compiled: the squares of a thread, and the blocks that a multiprocessor has registers
// for.
struct Work {
  int squares, blocks;
};
constexpr Work work_of(int bytes, int side, bool far) {
  if (far) return {8, 2};
  switch (bytes * 100 + side) {
    case 108:
      return {2, 2};
    case 104:
      return {4, 2};
    case 102:
      return {8, 2};
    case 101:
      return {16, 2};
    case 208:
      return {1, 2};
    case 204:
      return {4, 2};
    case 202:
      return {8, 2};
    case 201:
      return {16, 2};
    case 404:
      return {1, 4};
    case 402:
      return {4, 3};
    case 401:
      return {16, 2};
    case 802:
      return {2, 4};
    case 801:
      return {8, 3};
    default:
      return {4, 4};  // 16 bytes
  }
}
constexpr Work direct_work_of(int bytes, bool far) { return {bytes == 16 ? 4 : 8, far ? 3 : 4}; }
// Words of a thread: of both sides, of one of them.
constexpr Work words_work_of(int bytes, bool both) {
  return bytes == 2 ? Work{8, both ? 3 : 2} : both ? Work{8, 2} : Work{4, 2};
}
// Bytes of a square's rows.
constexpr int64_t widest_square(int64_t bytes) { return bytes == 1 ? 8 : 16; }

bool is_kept(const Problem& problem) {
  return problem.rows == 1 && problem.out_ld == 1 && problem.cols > 1;
}

// A matrix as other strategies take it, with at most one batch dimension.
bool others_serve(const Problem& problem) {
  if (problem.batch_rank >= 2 || (is_kept(problem) && problem.batch_rank > 0)) return false;
  return problem.in_ld >= problem.cols && problem.out_ld >= problem.rows &&
         problem.batch[0].in_stride >= 0;
}

Form form_of(const Problem& problem) {
  const int64_t bytes = std::min<int64_t>(problem.element_bytes, 16);
  const int64_t parts = problem.element_bytes / bytes;
  Form form{bytes, problem.in_alignment, problem.out_alignment, {{parts, 1, 1}}};
  form.axes.push_back({problem.rows, problem.in_ld * parts, parts});
  form.axes.push_back({problem.cols, parts, problem.out_ld * parts});
  for (uint32_t i = 0; i < problem.batch_rank; ++i)
    form.axes.push_back({problem.batch[i].extent, problem.batch[i].in_stride * parts,
                         problem.batch[i].out_stride * parts});
  std::erase_if(form.axes, [](const Axis& axis) { return axis.extent == 1; });
  return cuda_permute::widened(form);
}

kernels::Division division_by(int64_t divisor) {
  const int log2 = std::bit_width(static_cast<uint64_t>(divisor - 1));
  const uint64_t power = uint64_t{1} << (31 + log2);
  const auto by = static_cast<uint64_t>(divisor);
  return {static_cast<uint32_t>((power + by - 1) / by), static_cast<uint32_t>(log2 - 1)};
}

// An axis of a tile, a square's axes split into those within a square and between squares.
struct Part {
  Axis axis;
  uint32_t cut = 0;
  int64_t left = 0;
};

struct Permute {
  static Card card() {
    return cuda_card(
        {.name = "permute",
         .summary = "permutations: tiles that span several axes, in one launch",
         .element_sizes = 1 | 2 | 4 | 8 | 16 | XPOSE_FAT_SIZES,
         .max_batch_rank = XPOSE_MAX_BATCH_RANK,
         .prior_rank = 110,
         .axes = {{"run", {256, 128, 512}}, {"along_input", {0, 1}}, {"shared", {1, 0}}}});
  }

  static Quote quote(const Problem& problem, const Config& config) {
    if (problem.in_place) throw Unsupported("does not work in place");
    if (others_serve(problem))
      throw Unsupported("needs two batch dimensions; other strategies serve matrices");
    const Permute plan(problem, config, true);
    const int64_t kept = cuda_permute::kept_bytes(plan.form_);
    if (plan.direct_ && kept < kLeastDirect)
      throw Unsupported("shared=0 needs an innermost axis of at least 32 bytes on both sides");
    if (!plan.direct_ && kept >= kAlwaysDirect)
      throw Unsupported("shared=1 needs an innermost axis of less than 128 bytes on both sides");
    if (plan.tile_.tiles > INT32_MAX) throw Unsupported("needs less than 2^31 tiles");
    if (config["along_input"] != 0 && plan.tile_.tiles <= plan.resident())
      throw Unsupported("along_input=1 needs more tiles than run at once");
    return {.launch =
                describe_launch({plan.blocks()}, {kernels::kPermuteThreads}, plan.shared_bytes()) +
                ", runs of " + std::to_string(plan.tile_.load_run) + " B to runs of " +
                std::to_string(plan.tile_.store_run) + " B, " + plan.way(),
            .demand = {.blocks = plan.blocks(),
                       .threads = kernels::kPermuteThreads,
                       .shared_bytes = static_cast<uint32_t>(plan.shared_bytes()),
                       .load_run = static_cast<uint64_t>(plan.tile_.load_run),
                       .store_run = static_cast<uint64_t>(plan.tile_.store_run)}};
  }

  Permute(const Problem& problem, const Config& config) : Permute(problem, config, true) {
    plan(config["along_input"] != 0);
    if (!load_words_ && !store_words_) return;
    by_elements_.reset(new Permute(problem, config, false));
    by_elements_->plan(config["along_input"] != 0);
  }

  void launch(const Launch& launch) const {
    // A problem says how rows are aligned, which words ask of the first element alone.
    const auto splits_words = [](const void* address) {
      return reinterpret_cast<uintptr_t>(address) % kWord != 0;
    };
    if ((load_words_ && splits_words(launch.in)) || (store_words_ && splits_words(launch.out)))
      return by_elements_->launch(launch);
    const auto* const in = static_cast<const unsigned char*>(launch.in);
    auto* const out = static_cast<unsigned char*>(launch.out);
    with_kernel([&](auto kernel) {
      launch_kernel("permute", kernel, {blocks()}, {kernels::kPermuteThreads}, shared_bytes(),
                    launch.stream, in, out, permutation_);
    });
  }

 private:
  Permute(const Problem& problem, const Config& config, bool words)
      : form_(form_of(problem)),
        processors_(problem.multiprocessors != 0 ? problem.multiprocessors : kUsualMultiprocessors),
        direct_(config["shared"] == 0) {
    side_ = direct_ ? 1 : cuda_permute::square_of(form_, widest_square(form_.bytes));
    cut(config);
    if (far_ && side_ != 1) {  // offsets of 64 bits take the registers of squares
      side_ = 1;
      cut(config);
    }
    if (words && !direct_ && !far_ && side_ * form_.bytes < kWord) cut_for_words(config);
  }

  Work work() const {
    const auto bytes = static_cast<int>(form_.bytes);
    if (load_words_ || store_words_) return words_work_of(bytes, load_words_ && store_words_);
    return direct_ ? direct_work_of(bytes, far_) : work_of(bytes, static_cast<int>(side_), far_);
  }
  int64_t resident() const { return int64_t{processors_} * work().blocks; }
  // As few as do the work in the same number of turns.
  uint32_t blocks() const {
    const int64_t turns = blocks_over(tile_.tiles, resident());
    return static_cast<uint32_t>(blocks_over(tile_.tiles, turns));
  }
  // Room for padding.
  uint64_t shared_bytes() const {
    if (direct_) return 0;
    const int64_t dense = tile_.elements * form_.bytes;
    return static_cast<uint64_t>((dense + dense / 4 + 512) / 16 * 16);
  }

  std::string way() const {
    if (direct_) return "directly";
    if (load_words_ && store_words_) return "words";
    if (load_words_) return "words in";
    if (store_words_) return "words out";
    return side_ == 1 ? "elements" : "squares of " + std::to_string(side_);
  }
  // Elements of a thread.
  int64_t elements() const {
    const int64_t each = load_words_ || store_words_ ? kWord / form_.bytes : side_ * side_;
    return work().squares * each;
  }

  Tile tile_for(const Config& config) const {
    return cuda_permute::tile_of(form_, {.out_run = config["run"],
                                         .elements = kernels::kPermuteThreads * elements(),
                                         .square = side_,
                                         .processors = processors_});
  }

  void cut(const Config& config) {
    far_ = false;
    tile_ = tile_for(config);
    if (spans_far()) {
      far_ = true;
      tile_ = tile_for(config);
    }
  }

  // Elements that form no squares of words are moved in words on those sides where runs are of
  // whole words. A tile for words of both sides has more elements, so it is tried first.
  void cut_for_words(const Config& config) {
    const auto before = std::pair(side_, tile_);
    for (const bool both : {true, false}) {
      if (!both && before.first > 1) break;
      side_ = 1;
      load_words_ = true;
      store_words_ = both;
      tile_ = tile_for(config);
      load_words_ = words_of_input() != 0;
      store_words_ = words_of_output() != 0;
      if ((both ? load_words_ && store_words_ : load_words_ || store_words_) && !spans_far())
        return;
    }
    load_words_ = store_words_ = false;
    std::tie(side_, tile_) = before;
  }
  int64_t words_of_input() const {
    return cuda_permute::axes_of_words(form_, tile_, cuda_permute::by_input(form_.axes), &Axis::in,
                                       kWord / form_.bytes);
  }
  int64_t words_of_output() const {
    return cuda_permute::axes_of_words(form_, tile_, cuda_permute::by_output(form_.axes),
                                       &Axis::out, kWord / form_.bytes);
  }

  // Whether offsets within a tile exceed 32 bits.
  bool spans_far() const {
    int64_t in = 0, out = 0;
    for (size_t i = 0; i < form_.axes.size(); ++i) {
      in += (tile_.extents[i] - 1) * std::abs(form_.axes[i].in);
      out += (tile_.extents[i] - 1) * form_.axes[i].out;
    }
    return std::max(in, out) > INT32_MAX;
  }

  void plan(bool along_input) {
    permutation_ = {};
    permutation_.tiles = static_cast<uint32_t>(tile_.tiles);
    const std::vector<uint32_t> cuts = plan_steps(along_input);

    // The parts of a tile, the last one within a square: the columns' index.
    const Inner inner = side_ > 1 ? cuda_permute::inner_axes(form_) : Inner{};
    std::vector<Part> parts;
    for (size_t i = 0; i < form_.axes.size(); ++i) {
      Axis axis = form_.axes[i];
      const int64_t left = axis.extent % tile_.extents[i];
      const bool split = static_cast<int>(i) == inner.in || static_cast<int>(i) == inner.out;
      const int64_t side = split ? side_ : 1;
      if (static_cast<int>(i) == inner.out) permutation_.row_stride = axis.in;
      axis = {tile_.extents[i] / side, axis.in * side, axis.out * side};
      if (axis.extent > 1) parts.push_back({axis, cuts[i], left / side});
    }
    const size_t between = parts.size();
    if (side_ > 1) parts.push_back({{side_, 1, form_.axes[static_cast<size_t>(inner.in)].out}});

    std::vector<Axis> axes;
    for (const Part& part : parts) axes.push_back(part.axis);
    const std::vector<int> store_order = cuda_permute::by_output(axes);
    std::vector<int> load_order = direct_ ? store_order : cuda_permute::by_input(axes);
    if (side_ > 1) std::erase(load_order, static_cast<int>(between));
    std::vector<int64_t> places(parts.size(), 0);
    if (!direct_) {
      std::vector<int64_t> extents;
      for (const Axis& axis : axes) extents.push_back(axis.extent);
      const auto slot = [&](bool words) { return words ? kWord / form_.bytes : int64_t{1}; };
      places =
          cuda_permute::places({.extents = extents,
                                .load = {load_order, slot(load_words_)},
                                .store = {store_order, slot(store_words_)},
                                .nest = load_words_ ? load_order : store_order,
                                .dense = load_words_ ? static_cast<size_t>(words_of_input()) : 0,
                                .unit = form_.bytes * side_,
                                .most = static_cast<int64_t>(shared_bytes())});
    }
    const auto tile_axis = [&](int number, int64_t Axis::*stride) {
      const Part& part = parts[static_cast<size_t>(number)];
      return kernels::TileAxis{.stride = part.axis.*stride,
                               .by_extent = division_by(part.axis.extent),
                               .extent = static_cast<uint32_t>(part.axis.extent),
                               .place = static_cast<uint32_t>(places[static_cast<size_t>(number)]),
                               .cut = part.cut,
                               .left = static_cast<uint32_t>(part.left)};
    };
    for (const int number : load_order)
      permutation_.load_axis[permutation_.load_axes++] = tile_axis(number, &Axis::in);
    for (const int number : store_order)
      permutation_.store_axis[permutation_.store_axes++] = tile_axis(number, &Axis::out);
    if (side_ > 1) permutation_.col_place = static_cast<uint32_t>(places[between]);
  }

  // Returns the bit of each axis's cut, 0 where all its tiles are alike.
  std::vector<uint32_t> plan_steps(bool along_input) {
    std::vector<uint32_t> cuts(form_.axes.size(), 0);
    uint32_t cut = 1;
    for (const int number :
         along_input ? cuda_permute::by_input(form_.axes) : cuda_permute::by_output(form_.axes)) {
      const auto at = static_cast<size_t>(number);
      const Axis& axis = form_.axes[at];
      const int64_t extent = tile_.extents[at], count = blocks_over(axis.extent, extent);
      if (count == 1) continue;
      if (axis.extent % extent != 0) cuts[at] = std::exchange(cut, 2 * cut);
      permutation_.step[permutation_.steps++] = {.in = extent * axis.in,
                                                 .out = extent * axis.out,
                                                 .by_count = division_by(count),
                                                 .count = static_cast<uint32_t>(count),
                                                 .cut = cuts[at]};
    }
    return cuts;
  }

  // Calls body(kernel) for the form.
  template <class Body>
  void with_kernel(const Body& body) const {
    with_constant<1, 2, 4, 8, 16>(form_.bytes, [&](auto bytes) {
      constexpr int kBytes = static_cast<int>(bytes());
      with_constant<0, 1>(far_, [&](auto far) {
        using Offset = std::conditional_t<far() != 0, int64_t, int32_t>;
        if (direct_) {
          constexpr Work kWork = direct_work_of(kBytes, far() != 0);
          return body(kernels::permute_runs<kBytes, kWork.squares, Offset, kWork.blocks>);
        }
        if (load_words_ || store_words_) {
          if constexpr (kBytes < kWord && far() == 0)
            with_words<kBytes>([&](auto way, auto blocks) {
              body(kernels::permute<typename decltype(way)::type, static_cast<int>(blocks())>);
            });
          return;
        }
        with_constant<1, 2, 4, 8>(side_, [&](auto side) {
          constexpr int kSide = static_cast<int>(side());
          constexpr Work kWork = work_of(kBytes, kSide, far() != 0);
          if constexpr (kSide == 1 || (far() == 0 && kBytes * kSide <= widest_square(kBytes)))
            body(kernels::permute<kernels::Squares<kBytes, kSide, kWork.squares, Offset>,
                                  kWork.blocks>);
        });
      });
    });
  }

  template <int Bytes, class Body>
  void with_words(const Body& body) const {
    const auto with = [&](auto load_words, auto store_words) {
      constexpr Work kWork = words_work_of(Bytes, load_words() && store_words());
      body(std::type_identity<kernels::Words<Bytes, kWork.squares, load_words(), store_words()>>{},
           std::integral_constant<int, kWork.blocks>{});
    };
    if (load_words_ && store_words_)
      with(std::true_type{}, std::true_type{});
    else if (load_words_)
      with(std::true_type{}, std::false_type{});
    else
      with(std::false_type{}, std::true_type{});
  }

  Form form_;
  uint32_t processors_;
  bool direct_;
  int64_t side_ = 1;  // of a square, in elements
  bool far_ = false;
  bool load_words_ = false, store_words_ = false;  // of elements that are no squares
  Tile tile_;
  kernels::Permutation permutation_;
  std::unique_ptr<Permute> by_elements_;  // for words that are not aligned
};

}  // namespace

XPOSE_PLUGIN("cuda_permute", "1.0", Permute)
