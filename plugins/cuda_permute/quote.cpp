#include "quote.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <xpose/cuda.hpp>

#include "../kit/matrices.hpp"
#include "joined.hpp"

namespace cuda_permute {

using xpose::plugin::blocks_over;
using xpose::plugin::Config;
using xpose::plugin::Problem;
using xpose::plugin::Quote;
using xpose::plugin::Unsupported;

namespace {

// Kept runs from so many bytes on may pass by shared memory, and from kAlwaysDirect on they do.
constexpr int64_t kLeastDirect = 32, kAlwaysDirect = 128;

bool is_kept(const Problem& problem) {
  return problem.rows == 1 && problem.out_ld == 1 && problem.cols > 1;
}

// Matrices with shorter rows on a side are moved several at a time.
constexpr int64_t kShortRow = 256;  // bytes

// Whether the matrices of a batch follow each other on both sides.
bool is_dense(const Problem& problem) {
  const int64_t area = problem.rows * problem.cols;
  return problem.in_ld == problem.cols && problem.out_ld == problem.rows &&
         problem.batch[0].in_stride == area && problem.batch[0].out_stride == area;
}

// A matrix as other strategies take it, or a batch of such that follow each other or have long
// rows.
bool others_serve(const Problem& problem) {
  if (problem.batch_rank >= 2 || (is_kept(problem) && problem.batch_rank > 0)) return false;
  const int64_t row = std::min(problem.rows, problem.cols) * problem.element_bytes;
  if (problem.batch_rank == 1 && row < kShortRow && !is_dense(problem)) return false;
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
  return widened(form);
}

// Rows of a batch of matrices that lie apart: tiles span matrices and gaps. Gaps between the output
// rows of small elements cost others as much.
constexpr uint32_t kGapsPercent = 10, kSmallGapsPercent = 20, kSmallOutGapsPercent = 3;
// Short rows of the input cost so much more.
constexpr uint32_t kShortInputPercent = 35, kShortInput = 40;

uint32_t gaps_percent(const Problem& problem) {
  const bool has_out_gaps = problem.out_ld > problem.rows;
  const bool has_gaps = problem.in_ld > problem.cols || has_out_gaps;
  if (problem.batch_rank != 1 || is_kept(problem) || !has_gaps) return 0;
  const bool is_short = problem.rows > problem.cols && problem.element_bytes <= 4 &&
                        problem.cols * problem.element_bytes <= kShortInput;
  const uint32_t percent = is_short ? kShortInputPercent : 0;
  if (problem.element_bytes > 2) return percent + kGapsPercent;
  return percent + (has_out_gaps ? kSmallOutGapsPercent : kSmallGapsPercent);
}

// Few bytes of matrices are moved sooner by others, or where their elements are joined.
uint32_t few_bytes_percent(const Problem& problem, const Config& config) {
  constexpr int64_t kFew = 4 << 20;
  const bool are_matrices = problem.batch_rank <= 1 && !is_kept(problem);
  return are_matrices && config["shared"] == 1 && xpose::plugin::bytes_of(problem) <= kFew ? 30 : 0;
}

uint32_t multiprocessors(const Problem& problem) {
  constexpr uint32_t kUsual = 132;
  return problem.multiprocessors != 0 ? problem.multiprocessors : kUsual;
}

// The first compute capability of devices that copy in bulk.
constexpr uint32_t kBulkCapability = 90;

}  // namespace

Cut cut_of(const Problem& problem, const Config& config, int64_t run) {
  CutWish wish{.run = run,
               .direct = config["shared"] == 0,
               .bulk = problem.compute_capability >= kBulkCapability,
               .runs = true,
               .joined = config["shared"] == kJoins,
               .processors = multiprocessors(problem),
               .cache = static_cast<int64_t>(problem.cache_bytes)};
  Cut cut(form_of(problem), wish);
  if (cut.way() != Way::runs || runs(cut, false, false)) return cut;
  wish.runs = false;
  return Cut(form_of(problem), wish);
}

std::optional<Cut> strips_of(const Problem& problem, const Config& config, int64_t run) {
  if (problem.in_alignment % kStripWord != 0 || config["shared"] != 1) return std::nullopt;
  Form form = form_of(problem);
  if (!may_have_strips(form)) return std::nullopt;
  Cut cut(std::move(form), {.run = run,
                            .direct = false,
                            .strips = true,
                            .processors = multiprocessors(problem),
                            .cache = static_cast<int64_t>(problem.cache_bytes)});
  if (cut.way() != Way::strips || cut.far()) return std::nullopt;
  return cut;
}

uint32_t blocks_of(const Cut& cut) {
  return static_cast<uint32_t>(blocks_over(cut.tile().tiles, cut.tiles_of_block()));
}

namespace {

// As it is expected to be moved.
Cut expected_cut(const Problem& problem, const Config& config, int64_t run) {
  if (auto strips = strips_of(problem, config, run)) return *std::move(strips);
  return cut_of(problem, config, run);
}

// Figures of a quote by the parameters of a kernel.
struct Parameters {
  uint64_t shared_bytes;
  // Of runs: divisions to fill the table of places, for an element of the tile. Of those that are
  // joined: instructions for a word.
  double effort = 0;
};

Parameters parameters_of(const Cut& cut) {
  if (cut.way() == Way::joined) {
    const Joined of = *joined(cut, false, false);
    return {shared_bytes(of, cut.form().bytes), of.instructions};
  }
  if (cut.way() != Way::runs) return {cut.shared_bytes()};
  const Runs of = *runs(cut, false, false);
  return {shared_bytes(of, cut.form().bytes), static_cast<double>(of.places) * of.store.run_axes /
                                                  static_cast<double>(cut.tile().elements)};
}

// Blocks that run at once.
int64_t resident(const Problem& problem, const Cut& cut) {
  return int64_t{multiprocessors(problem)} * cut.work().blocks;
}

Unsupported without_larger_tile(int64_t run) {
  return Unsupported("run=" + std::to_string(run) +
                     " needs elements of 4 or 8 bytes in squares with rows of 16 bytes, "
                     "along_input=0 and shared=1");
}

Unsupported not_joined() {
  return Unsupported(
      "shared=2 needs elements of 1 or 2 bytes that form no squares of 8 bytes a row, and on each "
      "side a few innermost axes that the other side has not, for a word of them");
}

// Refusals without a tile: tiles take most of a quote's time.
void refuse_by_form(const Form& form, const Config& config) {
  const int64_t kept = kept_bytes(form), run = config["run"], shared = config["shared"];
  if (shared == 0 && kept < kLeastDirect)
    throw Unsupported("shared=0 needs an innermost axis of at least 32 bytes on both sides");
  if (shared != 0 && kept >= kAlwaysDirect)
    throw Unsupported("shared=1 needs an innermost axis of less than 128 bytes on both sides");
  if (run == kRunOfLargerTile && (config["along_input"] != 0 || shared != 1))
    throw without_larger_tile(run);
  if (shared == kJoins && !may_join(form)) throw not_joined();
}

}  // namespace

Quote quote(const Problem& problem, const Config& config) {
  if (problem.in_place) throw Unsupported("does not work in place");
  if (others_serve(problem))
    throw Unsupported(
        "needs two batch dimensions, or matrices with a side of less than 256 bytes that do not "
        "follow each other; other strategies serve these");
  refuse_by_form(form_of(problem), config);
  const int64_t run = config["run"];
  const Cut cut = expected_cut(problem, config, run);
  const Tile& tile = cut.tile();
  if (run == kRunOfLargerTile && !cut.has_larger_tile()) throw without_larger_tile(run);
  if (config["shared"] == kJoins && (cut.way() != Way::joined || !joined(cut, false, false)))
    throw not_joined();
  if (tile.tiles > INT32_MAX) throw Unsupported("needs fewer than 2^31 tiles");
  if (config["along_input"] != 0 && tile.tiles <= resident(problem, cut))
    throw Unsupported("along_input=1 needs more tiles than run at once");
  for (const int64_t other : kRuns) {
    if (other == run) break;
    if (expected_cut(problem, config, other).tile() == tile)
      throw Unsupported("run=" + std::to_string(run) +
                        " makes the tiles of run=" + std::to_string(other));
  }
  const uint32_t blocks = blocks_of(cut);
  const Parameters of = parameters_of(cut);
  return {.launch = xpose::plugin::describe_launch({blocks}, {cut.threads()}, of.shared_bytes) +
                    ", runs of " + std::to_string(tile.load_run) + " B to runs of " +
                    std::to_string(tile.store_run) + " B, " + cut.name(),
          .demand = {.blocks = blocks,
                     .threads = cut.threads(),
                     .shared_bytes = static_cast<uint32_t>(of.shared_bytes),
                     .load_run = static_cast<uint64_t>(tile.load_run),
                     .store_run = static_cast<uint64_t>(tile.store_run),
                     .slower_percent = cut.slower_percent(config["along_input"] != 0, of.effort) +
                                       gaps_percent(problem) + few_bytes_percent(problem, config)}};
}

}  // namespace cuda_permute
