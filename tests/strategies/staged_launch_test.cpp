// Launches of `staged` on a fake of its slots: a wait too few, or a buffer that is taken too early,
// shows as a wrong byte.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "../../plugins/cuda_staged/slots.hpp"
#include "staged_fake.hpp"

extern "C" const xpose_plugin* xpose_plugin_entry();

namespace staged {
namespace {

// A problem with gaps between rows and matrices, in buffers at odd addresses.
class Moved {
 public:
  Moved(int64_t matrices, int64_t rows, int64_t cols, uint32_t element_bytes, int64_t gap)
      : e_(element_bytes) {
    problem_.size = sizeof problem_;
    problem_.element_bytes = element_bytes;
    problem_.rows = rows;
    problem_.cols = cols;
    problem_.in_ld = cols + gap;
    problem_.out_ld = rows + 2 * gap;
    problem_.multiprocessors = 4;
    in_stride_ = rows * problem_.in_ld + gap;
    out_stride_ = cols * problem_.out_ld + gap;
    matrices_ = matrices;
    if (matrices > 1) {
      problem_.batch_rank = 1;
      problem_.batch[0] = {matrices, in_stride_, out_stride_};
    }
    in_.resize(static_cast<size_t>(1 + matrices * in_stride_ * e_));
    for (size_t at = 0; at < in_.size(); at += sizeof(uint32_t)) {
      const auto drawn = static_cast<uint32_t>(fake.random());
      std::memcpy(&in_[at], &drawn, std::min(sizeof drawn, in_.size() - at));
    }
    out_.assign(static_cast<size_t>(1 + matrices * out_stride_ * e_), 0xa5);
    wanted_ = out_;
    for (int64_t m = 0; m < matrices; ++m)
      for (int64_t r = 0; r < rows; ++r)
        for (int64_t c = 0; c < cols; ++c)
          copy_element(&wanted_[place(m * out_stride_ + c * problem_.out_ld + r)],
                       &in_[place(m * in_stride_ + r * problem_.in_ld + c)], e_);
  }

  xpose_status launch(int64_t slot, uint32_t launches = 1) {
    const xpose_strategy& strategy = *xpose_plugin_entry()->strategies[0];
    xpose_plan* plan = nullptr;
    xpose_status status = strategy.create(&problem_, &slot, &plan, {words, sizeof words});
    for (uint32_t i = 0; i < launches && status == XPOSE_OK; ++i) {
      xpose_launch launch{};
      launch.size = sizeof launch;
      launch.threads = 3;
      launch.in = &in_[1];
      launch.out = &out_[1];
      fake.in = launch.in;
      status = strategy.launch(plan, &launch, {words, sizeof words});
    }
    strategy.destroy(plan);
    return status;
  }
  bool is_transposed() const { return out_ == wanted_; }
  void forget() { std::ranges::fill(out_, static_cast<unsigned char>(0xa5)); }
  const std::vector<unsigned char>& out() const { return out_; }
  char words[256] = "";

 private:
  size_t place(int64_t element) const { return static_cast<size_t>(1 + element * e_); }

  int64_t e_, matrices_ = 1, in_stride_ = 0, out_stride_ = 0;
  xpose_problem problem_{};
  std::vector<unsigned char> in_, out_, wanted_;
};

class StagedLaunch : public testing::TestWithParam<std::tuple<bool, bool>> {
 protected:
  void SetUp() override {
    fake = {};
    std::tie(fake.in_is_pinned, fake.out_is_pinned) = GetParam();
  }
};

TEST_P(StagedLaunch, EveryByteIsRightAndGapsStay) {
  for (const uint32_t bytes : {1U, 2U, 4U, 8U, 16U})
    for (const int64_t gap : {0, 3}) {
      SCOPED_TRACE(std::to_string(bytes) + " bytes, gap " + std::to_string(gap));
      Moved large(1, 1111, 6009 / bytes, bytes, gap), small(1600 / bytes, 41, 83, bytes, gap);
      ASSERT_EQ(large.launch(16), XPOSE_OK) << large.words;
      EXPECT_TRUE(large.is_transposed());
      ASSERT_EQ(small.launch(4), XPOSE_OK) << small.words;
      EXPECT_TRUE(small.is_transposed());
    }
}

// Each tile in bands of rows, and of whole matrices.
TEST_P(StagedLaunch, LargeTilesComeInBands) {
  Moved large(1, 1999, 3001, 16, 1), small(700, 83, 101, 16, 1);
  for (Moved* moved : {&large, &small}) {
    ASSERT_EQ(moved->launch(16, 2), XPOSE_OK) << moved->words;
    EXPECT_TRUE(moved->is_transposed());
  }
}

TEST_P(StagedLaunch, ThinMatricesAreRightToo) {
  for (const auto& [rows, cols] : std::vector<std::pair<int64_t, int64_t>>{
           {1, 1'500'001}, {1'500'001, 1}, {3, 500'003}, {500'003, 5}, {1, 1}}) {
    Moved moved(1, rows, cols, 4, 1);
    ASSERT_EQ(moved.launch(4, 2), XPOSE_OK) << moved.words;
    EXPECT_TRUE(moved.is_transposed()) << rows << "x" << cols;
  }
}

// The GPU copies by itself what is pinned and has long runs, and nothing else.
TEST_P(StagedLaunch, PinnedSidesAreCopiedByTheGpu) {
  const auto [in, out] = GetParam();
  Moved large(1, 1500, 1500, 4, 1);
  ASSERT_EQ(large.launch(16), XPOSE_OK);
  EXPECT_EQ(fake.direct_copies > 0, in || out);
  EXPECT_EQ(fake.direct_copies % (in && out ? 2 : 1), 0);
  fake.direct_copies = 0;
  Moved short_runs(1, 100'000, 7, 4, 1);
  ASSERT_EQ(short_runs.launch(16), XPOSE_OK);
  EXPECT_EQ(fake.direct_copies > 0, out);  // whose runs are long
  EXPECT_TRUE(short_runs.is_transposed());
}

// A failure in the middle is a sentence, and nothing is written once the launch has returned.
TEST_P(StagedLaunch, AFailureLeavesNothingUnderWay) {
  Moved moved(1, 1800, 1800, 4, 0);
  fake.fail_after = 5;
  EXPECT_EQ(moved.launch(4), XPOSE_DEVICE_ERROR);
  EXPECT_STREQ(moved.words, "kernel staged: the fake fails");
  EXPECT_TRUE(fake.streams.empty());
  moved.forget();
  fake.fail_after = -1;
  ASSERT_EQ(moved.launch(4), XPOSE_OK);
  EXPECT_TRUE(moved.is_transposed());
}

INSTANTIATE_TEST_SUITE_P(Memory, StagedLaunch, testing::Combine(testing::Bool(), testing::Bool()),
                         [](const auto& memory) {
                           return std::string(std::get<0>(memory.param) ? "pinned" : "pageable") +
                                  (std::get<1>(memory.param) ? "_to_pinned" : "_to_pageable");
                         });

}  // namespace
}  // namespace staged
