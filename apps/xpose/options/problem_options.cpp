#include "options/problem_options.hpp"

#include <bit>

namespace xpose::app {
namespace {

std::uint32_t alignment_of(const po::variables_map& values) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  const auto alignment = static_cast<std::uint32_t>(whole_number_of(values, "alignment", 1, most));
  if (!std::has_single_bit(alignment))
    throw UsageError("--alignment " + std::to_string(alignment) + " is not a power of two");
  return alignment;
}

}  // namespace

void add_problem_options(po::options_description& options) {
  options.add_options()("shape", po::value<std::string>()->required()->value_name("RxC"),
                        "rows and columns of the input")(
      "bytes", po::value<std::string>()->default_value("4")->value_name("N"),
      "bytes of an element: 1, 2, 4, 8, 16, or a multiple of 16 up to 256")(
      "batch", po::value<std::string>()->default_value("1")->value_name("N"),
      "matrices, one behind the other")(
      "in-ld", po::value<std::string>()->default_value("0")->value_name("N"),
      "leading dimension of the input in elements; 0: dense rows")(
      "out-ld", po::value<std::string>()->default_value("0")->value_name("N"),
      "leading dimension of the output in elements; 0: dense rows")(
      "alignment", po::value<std::string>()->default_value("256")->value_name("N"),
      "power of two that divides both base addresses")("in-place",
                                                       "transpose a square into itself");
}

Problem problem_of(const po::variables_map& values, Device device) {
  const auto [rows, cols] = parse_shape(values["shape"].as<std::string>());
  Problem problem = matrix(rows, cols, element_bytes_of(values), device);
  problem.in_ld = whole_number_of(values, "in-ld", 0);
  problem.out_ld = whole_number_of(values, "out-ld", 0);
  problem.in_alignment = problem.out_alignment = alignment_of(values);
  problem.in_place = values.count("in-place") != 0;
  if (problem.in_place && problem.in_ld == 0) problem.in_ld = problem.out_ld;
  if (problem.in_place && problem.out_ld == 0) problem.out_ld = problem.in_ld;
  const std::int64_t batch = whole_number_of(values, "batch", 0);
  if (batch == 1) return problem;
  const std::int64_t in_ld = problem.in_ld != 0 ? problem.in_ld : cols;
  const std::int64_t out_ld = problem.out_ld != 0 ? problem.out_ld : rows;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
  if (__builtin_mul_overflow(rows, in_ld, &in_stride) ||
      __builtin_mul_overflow(cols, out_ld, &out_stride))
    throw Error(ErrorKind::invalid, "cannot transpose a batch of " + to_string(problem) +
                                        ": the size of a matrix in bytes does not fit in 63 bits");
  problem.batch = {{batch, in_stride, out_stride}};
  return problem;
}

}  // namespace xpose::app
