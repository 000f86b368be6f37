// The lab's kernels compute what their files say: a figure of a kernel that does something else
// would teach the wrong thing.
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "traced.hpp"

namespace {

struct Size {
  int64_t rows, cols;
};

const xpose_plugin& lab() {
  static const xpose_plugin& plugin = *load_plugin(XPOSE_LAB "/cuda_lab.so");
  return plugin;
}

// The experiment says in its quote which problem it takes.
Size size_of(const xpose_strategy& experiment) {
  for (const Size size : {Size{32, 32}, Size{16, 32}, Size{1, 256}, Size{256, 128}}) {
    xpose_problem problem = {};
    problem.size = sizeof problem;
    problem.element_bytes = 4;
    problem.rows = size.rows;
    problem.cols = size.cols;
    xpose_quote quote = {};
    quote.size = sizeof quote;
    char text[256];
    if (experiment.quote(&problem, nullptr, &quote, {text, sizeof text}) == XPOSE_OK) return size;
  }
  ADD_FAILURE() << experiment.card->name << " takes none of the sizes known here";
  return {0, 0};
}

std::vector<float> transposed(const std::vector<float>& in, Size size) {
  std::vector<float> out(in.size());
  for (int64_t r = 0; r < size.rows; ++r)
    for (int64_t c = 0; c < size.cols; ++c) out[c * size.rows + r] = in[r * size.cols + c];
  return out;
}

// b lies behind a. Sums of small integers are exact in any order.
std::vector<float> product(const std::vector<float>& in, int64_t n) {
  std::vector<float> out(static_cast<std::size_t>(n * n), 0.0f);
  for (int64_t r = 0; r < n; ++r)
    for (int64_t k = 0; k < n; ++k)
      for (int64_t c = 0; c < n; ++c) out[r * n + c] += in[r * n + k] * in[n * n + k * n + c];
  return out;
}

std::vector<float> expected(const std::string& name, const std::vector<float>& in, Size size) {
  if (name.find("row_col") != std::string::npos) return transposed(in, size);
  if (name.find("reversal") != std::string::npos) return {in.rbegin(), in.rend()};
  if (name.find("product") != std::string::npos) return product(in, size.cols);
  return in;
}

TEST(Lab, EveryExperimentComputesWhatItSays) {
  ASSERT_GE(lab().strategy_count, 19U);
  for (uint32_t i = 0; i < lab().strategy_count; ++i) {
    const xpose_strategy& experiment = *lab().strategies[i];
    const std::string name = experiment.card->name;
    SCOPED_TRACE(name);
    EXPECT_EQ(experiment.card->role, XPOSE_EXPERIMENT);
    const Size size = size_of(experiment);
    std::vector<float> in(static_cast<std::size_t>(size.rows * size.cols));
    for (std::size_t at = 0; at < in.size(); ++at) in[at] = static_cast<float>(at * 7 % 61);
    const std::vector<float> right = expected(name, in, size);
    std::vector<float> out(right.size(), -1.0f);
    xpose_problem problem = {};
    problem.size = sizeof problem;
    problem.element_bytes = 4;
    problem.rows = size.rows;
    problem.cols = size.cols;
    const xpose_launch launch = {
        sizeof(xpose_launch), 0, in.data(), out.data(), nullptr, nullptr, nullptr};
    const Traced traced =
        trace(experiment, problem, {}, launch,
              {{in.data(), in.size() * sizeof(float)}, {out.data(), out.size() * sizeof(float)}});
    EXPECT_EQ(traced.status, XPOSE_OK) << traced.text;
    EXPECT_TRUE(traced.faults.empty());
    EXPECT_EQ(out, right);
  }
}

}  // namespace
