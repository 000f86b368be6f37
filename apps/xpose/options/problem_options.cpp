#include "options/problem_options.hpp"

#include <bit>
#include <cstdlib>
#include <limits>

namespace xpose::app {
namespace {

std::uint32_t alignment_of(const po::variables_map& values) {
  constexpr std::int64_t kMost = std::int64_t{1} << 31;
  const auto alignment = static_cast<std::uint32_t>(whole_number_of(values, "alignment", 1, kMost));
  if (!std::has_single_bit(alignment))
    throw UsageError("--alignment " + std::to_string(alignment) + " is not a power of two");
  return alignment;
}

// Options of a matrix, not of other arrays.
constexpr const char* kOfMatrices[] = {"batch", "in-ld", "out-ld", "in-place"};

bool is_given(const po::variables_map& values, const std::string& option) {
  return values.count(option) != 0 && !values[option].defaulted();
}

// One axis alone has an order where a pattern splits it.
std::vector<std::int64_t> shape_of(const po::variables_map& values, const AxisOrder& order) {
  return parse_shape(values["shape"].as<std::string>(), order.pattern ? 1 : 2);
}

// Negative where rows lie backwards.
std::int64_t leading_dimension_of(const po::variables_map& values, const std::string& option) {
  return whole_number_of(values, option, -std::numeric_limits<std::int64_t>::max());
}

// A matrix with leading dimensions, a batch, or in place.
Problem matrix_of(const po::variables_map& values, std::int64_t rows, std::int64_t cols,
                  Device device) {
  Problem problem = matrix(rows, cols, element_bytes_of(values), device);
  problem.in_ld = leading_dimension_of(values, "in-ld");
  problem.out_ld = leading_dimension_of(values, "out-ld");
  problem.in_place = values.count("in-place") != 0;
  if (problem.in_place && problem.in_ld == 0) problem.in_ld = problem.out_ld;
  if (problem.in_place && problem.out_ld == 0) problem.out_ld = problem.in_ld;
  const std::int64_t batch = whole_number_of(values, "batch", 0);
  if (batch == 1) return problem;
  const std::int64_t in_ld = problem.in_ld != 0 ? problem.in_ld : cols;
  const std::int64_t out_ld = problem.out_ld != 0 ? problem.out_ld : rows;
  std::int64_t in_stride = 0;
  std::int64_t out_stride = 0;
  if (__builtin_mul_overflow(rows, std::abs(in_ld), &in_stride) ||
      __builtin_mul_overflow(cols, std::abs(out_ld), &out_stride))
    throw Error(ErrorKind::invalid, "cannot transpose a batch of " + to_string(problem) +
                                        ": the size of a matrix in bytes does not fit in 63 bits");
  problem.batch = {{batch, in_stride, out_stride}};
  return problem;
}

// An array without gaps.
Problem permutation_of(const po::variables_map& values, std::span<const std::int64_t> shape,
                       const AxisOrder& order, Device device) {
  for (const char* const option : kOfMatrices)
    if (is_given(values, option))
      throw UsageError(std::string("--") + option + " belongs to a matrix, a --shape of two axes " +
                       "without --axes and --pattern; state other axes in --shape");
  const std::uint32_t bytes = element_bytes_of(values);
  try {
    const PermutedShape permuted = app::permuted(order, shape);
    return permutation(permuted.shape, permuted.axes, bytes, device);
  } catch (const AxisError& error) {
    throw UsageError(error.what());
  }
}

}  // namespace

void add_axis_options(po::options_description& options) {
  options.add_options()("axes", po::value<std::string>()->value_name("A,B,..."),
                        "output axis i is input axis AXES[i], as in NumPy's transpose; without "
                        "this option the axes are reversed")(
      "pattern", po::value<std::string>()->value_name("P"),
      "the order of the axes by name, as in einops: 'b h w c -> b c h w'; parentheses split and "
      "merge axes")("sizes", po::value<std::string>()->value_name("P=N,..."),
                    "sizes of the pattern's axes that the shape leaves open, such as p=16,q=16");
}

AxisOrder axis_order_of(const po::variables_map& values) try {
  AxisOrder order;
  if (values.count("axes") != 0) order.axes = parse_axes(values["axes"].as<std::string>());
  if (values.count("pattern") != 0)
    order.pattern = parse_axis_pattern(values["pattern"].as<std::string>());
  if (order.axes && order.pattern)
    throw UsageError("--axes and --pattern state the same: give one of them");
  if (values.count("sizes") != 0 && !order.pattern)
    throw UsageError("--sizes belongs to --pattern: give a pattern");
  if (values.count("sizes") != 0)
    order.pattern->sizes = parse_axis_sizes(values["sizes"].as<std::string>());
  if (order.pattern) check_sizes(*order.pattern);
  return order;
} catch (const AxisError& error) {
  throw UsageError(error.what());
}

void add_problem_options(po::options_description& options) {
  options.add_options()("shape", po::value<std::string>()->required()->value_name("RxC"),
                        "rows and columns of the input, or the extents of all its axes")(
      "bytes", po::value<std::string>()->default_value("4")->value_name("N"),
      "bytes of an element: 1 to 256")(
      "batch", po::value<std::string>()->default_value("1")->value_name("N"),
      "number of matrices, one behind the other")(
      "in-ld", po::value<std::string>()->default_value("0")->value_name("N"),
      "elements from one row of the input to the next; negative: rows lie backwards; 0: dense "
      "rows")("out-ld", po::value<std::string>()->default_value("0")->value_name("N"),
              "elements from one row of the output to the next, likewise")(
      "alignment", po::value<std::string>()->default_value("256")->value_name("N"),
      "power of two in bytes that divides both base addresses")("in-place",
                                                                "transpose a square into itself");
  add_axis_options(options);
}

Problem problem_of(const po::variables_map& values, Device device) {
  const AxisOrder order = axis_order_of(values);
  const std::vector<std::int64_t> shape = shape_of(values, order);
  Problem problem = shape.size() == 2 && !order.is_given()
                        ? matrix_of(values, shape[0], shape[1], device)
                        : permutation_of(values, shape, order, device);
  problem.in_alignment = problem.out_alignment = alignment_of(values);
  return problem;
}

std::string stated_problem(const po::variables_map& values, const Problem& problem) {
  const std::string shape = values["shape"].as<std::string>();
  const AxisOrder order = axis_order_of(values);
  if (shape_of(values, order).size() == 2 && !order.is_given()) return to_string(problem);
  const std::string how = order.axes      ? "axes " + values["axes"].as<std::string>()
                          : order.pattern ? '\'' + to_string(*order.pattern) + '\''
                                          : "axes reversed";
  return shape + ", " + how + ": " + to_string(problem);
}

}  // namespace xpose::app
