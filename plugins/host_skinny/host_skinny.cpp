// Matrices with a side shorter than a line of 64 bytes or rows of one, and batches of small ones.
#include <xpose/plugin.hpp>

#include "../kit/host/ceil_div.hpp"
#include "../kit/host/least_target.hpp"
#include "../kit/host/parts.hpp"
#include "../kit/host/processor.hpp"
#include "../kit/host/traffic.hpp"
#include "kernels.hpp"

using namespace xpose::plugin;

namespace {

using host::ceil_div;
using host_skinny::Form;
using host_skinny::Job;

// Elements of a line.
int64_t line_of(const Problem& problem) { return 64 / problem.element_bytes; }

Form form_of(const Problem& problem) {
  const int64_t line = line_of(problem);
  const bool narrow = problem.cols < line, flat = problem.rows < line;
  // Groups of rows have a costly end, so that short rows are small up to twice the size.
  const int64_t most = narrow && !flat ? host_skinny::kSmallBytes : host_skinny::kSmallBytes / 2;
  const bool small = problem.rows * problem.cols * problem.element_bytes <= most;
  if (small && (matrices_of(problem) > 1 || (narrow && flat))) return Form::kSmall;
  if (narrow || (!flat && problem.cols == line)) return Form::kDeinterleave;
  if (flat) return Form::kInterleave;
  throw Unsupported("needs rows of at most " + std::to_string(line) +
                    " elements (64 bytes), shorter columns, or a batch of matrices up to 4 KiB");
}

// Bytes of one side that lie together: a row, or all rows of a matrix, or all matrices. Where less
// than a line lies between them every line is met once.
uint64_t together(const Problem& problem, int64_t length, int64_t rows, int64_t ld, int64_t step) {
  const auto follow = [&](int64_t stride, int64_t elements) {
    return stride >= elements && stride - elements < line_of(problem);
  };
  int64_t elements = length;
  if (rows == 1 || follow(ld, length)) {
    elements *= rows;
    if (follow(step, ld * (rows - 1) + length)) elements *= matrices_of(problem);
  }
  return static_cast<uint64_t>(elements * problem.element_bytes);
}

// Where less than a line lies between rows of either side, all that lies there is moved as well.
uint32_t gap_percent(const Problem& problem) {
  const auto beyond = [&](int64_t ld, int64_t length) {
    const bool follows = ld > length && ld - length < line_of(problem);
    return follows ? 100 * (ld - length) / length : 0;
  };
  return static_cast<uint32_t>(
      (beyond(problem.in_ld, problem.cols) + beyond(problem.out_ld, problem.rows)) / 2);
}

// Where matrices lie in each other's gaps in the output, each of them writes every line, unless all
// of it stays in a cache between them.
constexpr int64_t kInterleavedPercent = 60, kCachedOutput = 1 << 20;

uint32_t interleaved_percent(const Problem& problem) {
  if (problem.batch_rank == 0 || problem.out_ld - problem.rows >= line_of(problem)) return 0;
  const auto& [extent, in_stride, out_stride] = problem.batch[0];
  const bool meet = out_stride > 0 && extent * out_stride <= problem.out_ld;
  const int64_t output = problem.cols * problem.out_ld * problem.element_bytes;
  return meet && output > kCachedOutput ? static_cast<uint32_t>(kInterleavedPercent * extent) : 0;
}

// Matrices one tile of lines high, and eight or more wide, take so much longer than in host_simd,
// which writes their lines from registers. Matrices of several tiles each way are faster here.
constexpr uint32_t kStripSlowerPercent = 26;

bool is_flat_strip(const Problem& problem) {
  const int64_t line = line_of(problem);
  return problem.rows == line && problem.cols >= 8 * line && problem.out_alignment % 64 == 0;
}

// Few rows take so much longer where they are asked for into the second level, because the
// processor foresees them itself. More rows than kFewRows it does not foresee, nor those of a small
// matrix, unless they are very few. Any number of rows of bytes it foresees, of which a line lasts
// the longest, but not AMD's more than kFewRows. More than kManyRows are asked for granule by
// granule, which the second level is slow to answer.
constexpr uint32_t kFewRowsSlowerPercent = 6, kManyRowsSlowerPercent = 30;
constexpr int64_t kFewRows = 16, kVeryFewRows = 4, kManyRows = 32, kSmallMatrix = 512 << 10;

uint32_t second_level_percent(const Problem& problem) {
  const bool are_bytes = problem.element_bytes == 1;
  if (are_bytes && problem.rows > kManyRows) return kManyRowsSlowerPercent;
  if (are_bytes && !host::is_of_amd()) return kFewRowsSlowerPercent;
  const bool is_small = problem.rows * problem.cols * problem.element_bytes < kSmallMatrix;
  const int64_t few = is_small && !are_bytes ? kVeryFewRows : kFewRows;
  return problem.rows <= few ? kFewRowsSlowerPercent : 0;
}

// Small matrices that do not follow each other on both sides take so much longer: each has lines of
// its own to be completed, and those of less bytes have more of them.
constexpr int64_t kApartPercent = 40, kApartBytes = 256;

uint32_t apart_percent(const Problem& problem, Form form) {
  const int64_t elements = problem.rows * problem.cols, bytes = elements * problem.element_bytes;
  if (form != Form::kSmall || problem.batch_rank == 0) return 0;
  const auto& [extent, in_stride, out_stride] = problem.batch[0];
  const bool follow = in_stride == elements && out_stride == elements;
  if (follow && problem.in_ld == problem.cols && problem.out_ld == problem.rows) return 0;
  return static_cast<uint32_t>(kApartPercent + 100 * kApartBytes / bytes);
}

// Columns of few elements that lie a line or more apart in the output: each has a line of its own,
// which nobody foresees, and takes as long as so many bytes more. Plain loops take less with wide
// elements, and blocks with those of two bytes, unless the processor is of AMD.
constexpr int64_t kLoneColumnBytes = 20;
constexpr int64_t kLonePercentOf16 = 50, kLonePercentOf8 = 35, kLonePercentOf2 = 150;

uint32_t lone_percent(const Problem& problem, Form form) {
  const int64_t column = problem.rows * problem.element_bytes;
  if (form != Form::kInterleave || column >= 64 || problem.out_ld - problem.rows < line_of(problem))
    return 0;
  const int64_t percent = 100 * kLoneColumnBytes / column;
  if (host::is_of_amd() || host::out_gap(problem) == 0) return static_cast<uint32_t>(percent);
  const int64_t of_size = problem.element_bytes == 16  ? kLonePercentOf16
                          : problem.element_bytes == 8 ? kLonePercentOf8
                          : problem.element_bytes == 2 ? kLonePercentOf2
                                                       : 0;
  return static_cast<uint32_t>(percent + of_size);
}

// Rows that are whole lines, one behind the other, take so much longer on AMD's processors than in
// host_simd.
constexpr uint32_t kLinesPercent = 25;

uint32_t lines_percent(const Problem& problem, Form form) {
  const bool are_lines = problem.cols == line_of(problem) && problem.in_ld == problem.cols;
  const bool are_slow = are_lines && problem.element_bytes > 1 && host::is_of_amd();
  return form == Form::kDeinterleave && are_slow ? kLinesPercent : 0;
}

// Short rows of more than kFewCols columns are taken apart by more shuffles, and those with gaps
// are loaded one by one.
constexpr int64_t kFewCols = 4;
constexpr uint32_t kLoadedApartPercent = 70;

uint32_t short_row_percent(const Problem& problem, Form form) {
  if (form != Form::kDeinterleave) return 0;
  const uint32_t size = problem.element_bytes;
  const uint32_t shuffles = size == 1 ? 45 : size == 2 ? 35 : size == 4 ? 25 : 0;
  return (problem.cols > kFewCols ? shuffles : 0) +
         (problem.in_ld > problem.cols && size <= 4 ? kLoadedApartPercent : 0);
}

struct Skinny {
  static Card card() {
    return {.name = "host_skinny",
            .summary = "short sides and small matrices, in vector registers",
            .min_alignment = 1,
            .max_batch_rank = 1,
            .prior_rank = 90,
            .axes = {{"stream", {1, 0}}, {"ahead", {2, 1}}}};
  }

  static Quote quote(const Problem& problem, const Config& config) {
    host::require_least_target();
    if (problem.rows == 1 || problem.cols == 1)
      throw Unsupported("needs sides of at least 2 elements; a side of 1 is a copy");
    const Form form = form_of(problem);
    const bool stream = config["stream"] != 0;
    if (!stream && !host::fits_cache(problem))
      throw Unsupported("stream=0 needs input and output that fit into the cache");
    const xpose_batch_dim batch =
        problem.batch_rank == 0 ? xpose_batch_dim{1, 0, 0} : problem.batch[0];
    const bool is_for_second_level = form == Form::kInterleave && config["ahead"] == 2;
    return {.launch = std::string(form == Form::kDeinterleave ? "short rows"
                                  : form == Form::kInterleave ? "few rows"
                                                              : "small matrices") +
                      ", " + host_skinny::kernels().front().target,
            .demand = {
                .load_run =
                    together(problem, problem.cols, problem.rows, problem.in_ld, batch.in_stride),
                .store_run =
                    together(problem, problem.rows, problem.cols, problem.out_ld, batch.out_stride),
                .slower_percent = (is_flat_strip(problem) ? kStripSlowerPercent : 0) +
                                  (is_for_second_level ? second_level_percent(problem) : 0) +
                                  gap_percent(problem) + interleaved_percent(problem) +
                                  apart_percent(problem, form) + lone_percent(problem, form) +
                                  lines_percent(problem, form) + short_row_percent(problem, form),
                .traits = stream ? uint32_t{XPOSE_QUOTE_UNCACHED_STORES} : 0}};
  }

  Skinny(const Problem& problem, const Config& config)
      : problem_(problem),
        form_(form_of(problem)),
        streams_(config["stream"] != 0),
        ahead_(static_cast<int>(config["ahead"])) {}

  void launch(const Launch& launch) const {
    const int64_t threads = std::min<int64_t>(launch.threads, host::worth_threads(problem_));
    const host::Parts parts = parts_of(threads);
    const bool are_whole = parts.grid().parts() == 1;
    const int64_t matrices = matrices_of(problem_), shares = std::min(threads, parts.count());
    run_parts(launch, static_cast<uint32_t>(shares), [&](int64_t share) {
      if (are_whole) {
        const int64_t begin = matrices * share / shares;
        transpose_part(launch, parts[begin], matrices * (share + 1) / shares - begin);
      } else {
        parts.share(share, shares,
                    [&](const Part& part, const Part*) { transpose_part(launch, part, 1); });
      }
    });
  }

 private:
  using Part = host::Part;

  // Small matrices stay whole; of others the long side may be cut, at every fourth line.
  host::Parts parts_of(int64_t threads) const {
    constexpr int64_t kBeginBytes = 1000;  // of a part, whose first lines nobody foresees
    const int64_t step = 4 * line_of(problem_);
    const auto side = [&](bool is_cut, int64_t extent, int64_t beside) {
      if (!is_cut) return host::Side{extent, extent, 1, 0};
      const int64_t ends = kBeginBytes / (beside * problem_.element_bytes);
      return host::Side{extent, step, ceil_div(extent, step), ends};
    };
    return {matrices_of(problem_), side(form_ == Form::kDeinterleave, problem_.rows, problem_.cols),
            side(form_ == Form::kInterleave, problem_.cols, problem_.rows), threads};
  }

  // The same part of so many matrices.
  void transpose_part(const Launch& launch, const Part& part, int64_t matrices) const {
    const int64_t size = problem_.element_bytes;
    const xpose_batch_dim batch =
        problem_.batch_rank == 0 ? xpose_batch_dim{1, 0, 0} : problem_.batch[0];
    const int64_t in = part.matrix * batch.in_stride + part.row_begin * problem_.in_ld,
                  out = part.matrix * batch.out_stride + part.col_begin * problem_.out_ld;
    const Job job = {.in = static_cast<const uint8_t*>(launch.in) + (in + part.col_begin) * size,
                     .out = static_cast<uint8_t*>(launch.out) + (out + part.row_begin) * size,
                     .rows = part.row_end - part.row_begin,
                     .cols = part.col_end - part.col_begin,
                     .in_pitch = problem_.in_ld * size,
                     .out_pitch = problem_.out_ld * size,
                     .matrices = matrices,
                     .in_step = batch.in_stride * size,
                     .out_step = batch.out_stride * size,
                     .form = form_,
                     .streams = streams_,
                     .ahead = ahead_};
    host_skinny::kernels().front().transpose(job, problem_.element_bytes);
  }

  Problem problem_;
  Form form_;
  bool streams_;
  int ahead_;
};

}  // namespace

XPOSE_PLUGIN("host_skinny", "1.0", Skinny)
