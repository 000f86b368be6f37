// What tests of plans on a device share: an engine's options, buffers, and a stream.
#pragma once

#include <cuda_runtime.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <vector>
#include <xpose/xpose.hpp>

#include "device/device.hpp"

namespace xpose {

constexpr Device kDevice{DeviceKind::cuda, 0};

inline EngineOptions in_memory() {
  EngineOptions options;
  options.plugin_folders = {XPOSE_PLUGINS};
  options.worker = XPOSE_TRIAL_PROGRAM;
  options.remember = false;
  return options;
}

inline PlanOptions only(const std::string& strategy) {
  PlanOptions options;
  options.policy = Policy::estimate;
  options.tune.variants = {{strategy}};
  return options;
}

// Input and output of one matrix of 4-byte elements.
struct Buffers {
  Buffers(std::int64_t rows, std::int64_t cols)
      : rows(rows),
        cols(cols),
        in(kDevice, static_cast<std::uint64_t>(rows * cols) * 4),
        out(kDevice, static_cast<std::uint64_t>(rows * cols) * 4) {}

  void fill(std::uint32_t seed) {
    values.resize(static_cast<std::size_t>(rows * cols));
    for (std::size_t i = 0; i < values.size(); ++i)
      values[i] = seed + static_cast<std::uint32_t>(i);
    in.upload(values.data(), in.bytes());
    const std::vector<std::uint32_t> blank(values.size(), 0);
    out.upload(blank.data(), out.bytes());
  }
  bool is_transposed() const {
    std::vector<std::uint32_t> found(values.size());
    out.download(found.data(), out.bytes());
    for (std::int64_t r = 0; r < rows; ++r)
      for (std::int64_t c = 0; c < cols; ++c)
        if (found[static_cast<std::size_t>(c * rows + r)] !=
            values[static_cast<std::size_t>(r * cols + c)])
          return false;
    return true;
  }

  std::int64_t rows;
  std::int64_t cols;
  DeviceMemory in;
  DeviceMemory out;
  std::vector<std::uint32_t> values;
};

class StreamTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << "SKIPPED: " << reason;
    backend(kDevice).make_current();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    if (stream != nullptr) cudaStreamDestroy(stream);
  }
  cudaStream_t stream = nullptr;
};

}  // namespace xpose
