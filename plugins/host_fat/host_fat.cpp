// Fat elements, of 32 to 256 bytes, which permutations move that keep the innermost axis.
#include <algorithm>
#include <numeric>
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/host_loop.hpp"
#include "../kit/host/pairs.hpp"
#include "../kit/host/traffic.hpp"
#include "fat_tile.hpp"
#include "swap_tiles.hpp"

using namespace xpose::plugin;

namespace {

using host::Byte;
using host::ceil_div;
using host::FatLayout;
using host::FatTile;

uint32_t threads_for(const Problem& problem, const Launch& launch) {
  return host::is_for_one_thread(problem) ? 1 : launch.threads;
}

// Rows of a tile: the shorter its output runs, the longer are the runs that memory is asked for of
// input rows; but where these runs are not of whole lines, every one has two ragged ends.
int64_t tile_rows(const Problem& problem) {
  const int64_t element = problem.element_bytes;
  if (problem.rows * element <= host::kWriteRun) return problem.rows;
  const int64_t whole = host::kLineBytes / std::gcd(host::kLineBytes, element);
  if (problem.out_alignment < host::kLineBytes || whole * element > host::kWriteRun)
    return host::kWriteRun / element;
  const int64_t fit = std::max<int64_t>(host::kWriteRun / 2 / element, 2);
  return std::max<int64_t>(fit / whole, 1) * whole;
}

struct Fat {
  static Card card() {
    return {.name = "host_fat",
            .summary = "fat elements: tiles gathered in a buffer, written in whole lines",
            .element_sizes = XPOSE_FAT_SIZES,
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 115,  // behind host_permute, which knows all dimensions
            .axes = {{"stream", {1, 0}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    const Fat fat(problem, config);
    if (fat.stream_ && !host::kCanStream)
      throw Unsupported("stream=1 needs stores that bypass the caches, which this processor lacks");
    if (!fat.stream_ && host::kCanStream && !host::fits_cache(problem))
      throw Unsupported("stream=0 needs input and output that fit into the cache");
    const int64_t run = fat.layout_.joined ? fat.tile_cols_ * fat.tile_rows_ : fat.tile_rows_;
    return {
        .launch = "tile " + std::to_string(fat.tile_rows_) + "x" + std::to_string(fat.tile_cols_),
        .demand = {.load_run = static_cast<uint64_t>(fat.tile_cols_ * fat.layout_.element),
                   .store_run = static_cast<uint64_t>(run * fat.layout_.element),
                   .slower_percent = kSlowerPercent + first_tile_percent(problem, fat),
                   .traits = fat.stream_ ? uint32_t{XPOSE_QUOTE_UNCACHED_STORES} : 0}};
  }

  // Than moving alone, beside host_permute.
  static constexpr uint32_t kSlowerPercent = 10;

  // The rows of a launch's first tile were not asked for.
  static uint32_t first_tile_percent(const Problem& problem, const Fat& fat) {
    constexpr int64_t kPercent = 50;
    const int64_t tile = fat.tile_rows_ * fat.tile_cols_ * fat.layout_.element;
    return static_cast<uint32_t>(kPercent * tile / bytes_of(problem));
  }

  Fat(const Problem& problem, const Config& config)
      : problem_(problem), stream_(config["stream"] != 0) {
    const int64_t element = problem.element_bytes;
    tile_rows_ = tile_rows(problem);
    // Output rows as short as a tile's, and dense: several are one run.
    const bool joined = tile_rows_ == problem.rows && problem.out_ld == problem.rows;
    tile_cols_ = std::min(problem.cols,
                          joined ? host::kReadRun / 32 * host::kWriteRun / (tile_rows_ * element)
                                 : host::kReadRun / element);
    layout_ = {.element = element,
               .in_pitch = problem.in_ld * element,
               .out_pitch = problem.out_ld * element,
               .buffer_pitch = tile_rows_ * element + (joined ? 0 : host::kLineBytes),
               .joined = joined};
    tiles_across_ = ceil_div(problem.cols, tile_cols_);
    tiles_ = tiles_across_ * ceil_div(problem.rows, tile_rows_);
  }

  void launch(const Launch& launch) const {
    host::split(launch, threads_for(problem_, launch), matrices_of(problem_) * tiles_,
                bytes_of(problem_), [&](int64_t first, int64_t last) {
                  host::with_fat_element(layout_.element, [&](auto bytes) {
                    if (stream_) return stream_tiles<bytes>(launch, first, last);
                    for (int64_t i = first; i < last; ++i)
                      host::transpose_tile<bytes>(layout_, tile(launch, place(i)),
                                                  target(launch, place(i)));
                  });
                });
  }

 private:
  // Tiles are counted along input rows, which memory then delivers in long runs.
  struct Place {
    int64_t matrix, row, col;
  };
  Place place(int64_t index) const {
    const int64_t in_matrix = index % tiles_;
    return {index / tiles_, in_matrix / tiles_across_ * tile_rows_,
            in_matrix % tiles_across_ * tile_cols_};
  }

  FatTile tile(const Launch& launch, const Place& at) const {
    const int64_t elements =
        at.matrix * problem_.batch[0].in_stride + at.row * problem_.in_ld + at.col;
    return {static_cast<const Byte*>(launch.in) + elements * layout_.element,
            std::min(tile_rows_, problem_.rows - at.row),
            std::min(tile_cols_, problem_.cols - at.col)};
  }

  Byte* target(const Launch& launch, const Place& at) const {
    const int64_t elements =
        at.matrix * problem_.batch[0].out_stride + at.col * problem_.out_ld + at.row;
    return static_cast<Byte*>(launch.out) + elements * layout_.element;
  }

  template <int64_t Bytes>
  void stream_tiles(const Launch& launch, int64_t first, int64_t last) const {
    alignas(64) Byte buffer[host::kBufferBytes];
    Place at = place(first);
    FatTile now = tile(launch, at);
    for (int64_t i = first; i < last; ++i) {
      const Place then = place(i + 1);
      const FatTile next = i + 1 < last ? tile(launch, then) : FatTile{nullptr, 0, 0};
      host::stream_tile<Bytes>(layout_, now, target(launch, at), next, buffer);
      now = next;
      at = then;
    }
    host::finish_streams();  // before the caller's later stores
  }

  Problem problem_;
  bool stream_;
  int64_t tile_rows_, tile_cols_;  // elements
  FatLayout layout_;
  int64_t tiles_across_, tiles_;  // of a matrix
};

struct FatInPlace {
  static Card card() {
    return {.name = "host_fat_in_place",
            .summary = "fat elements, squares in place: elements across the diagonal change places",
            .element_sizes = XPOSE_FAT_SIZES,
            .min_alignment = 1,
            .max_batch_rank = 1,
            .traits = XPOSE_TRAIT_IN_PLACE,
            .prior_rank = 100};
  }

  // More rows of a power of two bytes than a cache set has lines would drive each other out.
  static int64_t side_of(const Problem& problem) {
    return std::min<int64_t>(8, host::kReadRun / problem.element_bytes);
  }

  static Quote quote(const Problem& problem, const Config&) {
    if (!problem.in_place) throw Unsupported("works in place only");
    const std::string side = std::to_string(side_of(problem));
    const auto run = static_cast<uint64_t>(side_of(problem) * problem.element_bytes);
    return {.launch = "tiles " + side + "x" + side, .demand = {.load_run = run, .store_run = run}};
  }

  FatInPlace(const Problem& problem, const Config&)
      : problem_(problem),
        side_(side_of(problem)),
        pairs_(ceil_div(problem.rows, side_), host::Order::kRows) {}

  void launch(const Launch& launch) const {
    host::split(launch, threads_for(problem_, launch), matrices_of(problem_) * pairs_.of_a_matrix(),
                bytes_of(problem_), [&](int64_t first, int64_t last) {
                  host::with_fat_element(problem_.element_bytes, [&](auto bytes) {
                    swap_pairs<bytes>(launch, first, last);
                  });
                });
  }

 private:
  template <int64_t Bytes>
  host::TilePair tiles_at(const Launch& launch, const host::Pair& at) const {
    const int64_t pitch = problem_.in_ld * Bytes, row = at.row * side_, col = at.col * side_;
    Byte* const data =
        static_cast<Byte*>(launch.out) + at.matrix * problem_.batch[0].in_stride * Bytes;
    return {data + row * pitch + col * Bytes, data + col * pitch + row * Bytes,
            std::min(side_, problem_.rows - row), std::min(side_, problem_.cols - col)};
  }

  template <int64_t Bytes>
  void swap_pairs(const Launch& launch, int64_t first, int64_t last) const {
    host::Pair at = pairs_[first];
    host::TilePair now = tiles_at<Bytes>(launch, at);
    for (int64_t i = first; i < last; ++i) {
      at = pairs_.after(at);
      const host::TilePair next = i + 1 < last ? tiles_at<Bytes>(launch, at) : host::TilePair{};
      host::swap_tiles<Bytes>(now, next, problem_.in_ld * Bytes);
      now = next;
    }
  }

  Problem problem_;
  int64_t side_;  // of a tile, in elements
  host::Pairs pairs_;
};

}  // namespace

XPOSE_PLUGIN("host_fat", "1.0", Fat, FatInPlace)
