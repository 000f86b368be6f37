// An engine with the plugins of the build, and what it must do with numbers.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include "xpose/xpose.hpp"

namespace xpose {

inline EngineOptions own_plugins() {
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.threads = 2;
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.remember = false;
  return options;
}

inline PlanOptions quickly() {
  PlanOptions options;
  options.tune.budget_seconds = 0.05;
  return options;
}

// Measured, however long other processes measure before.
inline PlanOptions surely() {
  PlanOptions options;
  options.tune.budget_seconds = 60;
  options.tune.max_rounds = 1;
  return options;
}

// The words of an Error of wrong use; "none" without one.
template <class Call>
std::string refusal_of(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::invalid) << error.what();
    return error.what();
  }
  return "none";
}

// Shared by the tests: loading and choosing once keeps them fast.
class EngineTest : public testing::Test {
 protected:
  static Engine& engine() {
    static Engine shared(own_plugins());
    return shared;
  }
};

inline std::vector<std::uint32_t> numbers(std::size_t count) {
  std::vector<std::uint32_t> values(count);
  std::iota(values.begin(), values.end(), 1U);
  return values;
}

inline void expect_transposed(const std::vector<std::uint32_t>& in,
                              const std::vector<std::uint32_t>& out, std::size_t rows,
                              std::size_t cols) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < cols; ++c) ASSERT_EQ(out[c * rows + r], in[r * cols + c]);
}

}  // namespace xpose
