#include "problem_options.hpp"

namespace xpose::app {

void add_problem_options(po::options_description& options) {
  options.add_options()("shape", po::value<std::string>()->required()->value_name("RxC"),
                        "rows and columns of the input")(
      "bytes", po::value<std::uint32_t>()->default_value(4)->value_name("N"),
      "bytes of an element: 1, 2, 4, 8, 16, or a multiple of 16 up to 256")(
      "batch", po::value<std::int64_t>()->default_value(1)->value_name("N"),
      "matrices, one behind the other")(
      "in-ld", po::value<std::int64_t>()->default_value(0)->value_name("N"),
      "elements from one input row to the next; 0: dense")(
      "out-ld", po::value<std::int64_t>()->default_value(0)->value_name("N"),
      "elements from one output row to the next; 0: dense")(
      "alignment", po::value<std::uint32_t>()->default_value(256)->value_name("N"),
      "bytes that divide both base addresses")("in-place", "the output is the input: a square");
}

Problem problem_of(const po::variables_map& values, Device device) {
  const auto [rows, cols] = parse_shape(values["shape"].as<std::string>());
  Problem problem = matrix(rows, cols, values["bytes"].as<std::uint32_t>(), device);
  problem.in_ld = values["in-ld"].as<std::int64_t>();
  problem.out_ld = values["out-ld"].as<std::int64_t>();
  problem.in_alignment = problem.out_alignment = values["alignment"].as<std::uint32_t>();
  problem.in_place = values.count("in-place") != 0;
  if (problem.in_place && problem.in_ld == 0) problem.in_ld = problem.out_ld;
  if (problem.in_place && problem.out_ld == 0) problem.out_ld = problem.in_ld;
  const auto batch = values["batch"].as<std::int64_t>();
  if (batch < 0) throw UsageError("--batch is 0 or more");
  const std::int64_t in_ld = problem.in_ld != 0 ? problem.in_ld : cols;
  const std::int64_t out_ld = problem.out_ld != 0 ? problem.out_ld : rows;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
  if (__builtin_mul_overflow(rows, in_ld, &in_stride) ||
      __builtin_mul_overflow(cols, out_ld, &out_stride))
    throw UsageError("the matrix's size does not fit in 63 bits");
  if (batch != 1) problem.batch = {{batch, in_stride, out_stride}};
  return problem;
}

}  // namespace xpose::app
