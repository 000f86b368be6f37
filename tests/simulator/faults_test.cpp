// Kernels that are wrong, each given up at its first fault.
#include <gtest/gtest.h>

#include "cases.hpp"

namespace {

// access: XPOSE_LOAD or XPOSE_STORE where one went outside, else 0.
Traced expect_fault(Case& wrong, uint32_t access, uint32_t thread, const std::string& text) {
  const Traced traced = wrong.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  EXPECT_EQ(traced.text, text);
  EXPECT_EQ(traced.faults.size(), 1u);
  if (traced.faults.size() == 1) {
    EXPECT_EQ(traced.faults[0].what, XPOSE_OUT_OF_BOUNDS);
    EXPECT_EQ(traced.faults[0].access, access);
    EXPECT_EQ(traced.faults[0].thread, thread);
    EXPECT_EQ(traced.faults[0].text, text);
    Dl_info info = {};
    EXPECT_NE(dladdr(traced.faults[0].site, &info), 0);
    EXPECT_EQ(std::string(info.dli_fname), XPOSE_CASES);
  }
  return traced;
}

// The simulator is as good as new after a fault.
void expect_right_again() {
  Case staged("staged", 40, 2);
  const Traced traced = staged.run();
  EXPECT_EQ(traced.status, XPOSE_OK) << traced.text;
  EXPECT_EQ(traced.accesses().size(), 24u);
}

TEST(Faults, AnAccessOutsideOfEveryRegion) {
  Case behind("behind_input");
  const Traced traced = expect_fault(
      behind, XPOSE_LOAD, 24, "a 4-byte load 0 bytes behind the 4096 bytes of memory region 0");
  for (unsigned t = 0; t < 24; ++t) EXPECT_EQ(behind.out[t], 2000 + t);
  for (unsigned t = 24; t < 32; ++t) EXPECT_EQ(behind.out[t], 0xeeeeeeeeu);
  // What the warp did before is told.
  ASSERT_EQ(traced.accesses().size(), 2u);
  EXPECT_EQ(traced.accesses()[0].lanes, 0xffffffu);
  expect_right_again();
}

TEST(Faults, AnAccessBeforeARegion) {
  Case before("before_output");
  expect_fault(before, XPOSE_STORE, 0,
               "a 4-byte store 12 bytes before the 4096 bytes of memory region 1");
}

TEST(Faults, NullAndMemoryOfTheHost) {
  Case null("null_pointer");
  expect_fault(null, XPOSE_STORE, 0, "a 4-byte store at the address 0");
  Case foreign("foreign_memory");
  const Traced traced = foreign.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(traced.faults[0].what, XPOSE_OUT_OF_BOUNDS);
  EXPECT_EQ(foreign.out[0], 0xeeeeeeeeu);
}

TEST(Faults, AnAccessThatCrossesTheEnd) {
  Case across("across_the_end");
  const Traced traced = across.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  EXPECT_EQ(across.out[0], 7u);
  EXPECT_EQ(across.out[1020], 0u);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(traced.faults[0].thread, 1u);
  EXPECT_EQ(traced.faults[0].text,
            "a 16-byte store 0 bytes behind the 4096 bytes of memory region 1");
}

TEST(Faults, AMisalignedAccess) {
  Case misaligned("misaligned");
  expect_fault(misaligned, 0, 2, "a 4-byte load at an address that is no multiple of 4");
}

TEST(Faults, AStoreBehindSharedMemory) {
  Case behind("behind_shared");
  expect_fault(behind, XPOSE_STORE, 4,
               "a 4-byte store 0 bytes behind the 1024 bytes of dynamic shared memory");
  expect_right_again();
}

TEST(Faults, AnIndexPastADeclaredArray) {
  Case past("past_a_tile");
  const Traced traced = past.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(traced.faults[0].what, XPOSE_OUT_OF_BOUNDS);
  EXPECT_EQ(traced.faults[0].access, 0u);  // the index is wrong before it is used
  EXPECT_EQ(traced.faults[0].thread, 31u);
  EXPECT_TRUE(traced.text.starts_with("index 4 is past the bounds of an array '")) << traced.text;
  EXPECT_TRUE(traced.text.ends_with(" [4]'")) << traced.text;
  Case within("past_a_tile", 31);
  EXPECT_EQ(within.run().status, XPOSE_OK);
}

TEST(Faults, ABarrierThatSomeThreadsMiss) {
  Case some("barrier_for_some", 8);
  const Traced traced = some.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(traced.faults[0].what, XPOSE_DIVERGENT_BARRIER);
  EXPECT_TRUE(traced.text.starts_with("of 8 threads 3 wait at __syncthreads (cases.cu:"))
      << traced.text;
  EXPECT_TRUE(traced.text.ends_with("), 5 have returned")) << traced.text;
  expect_right_again();
}

TEST(Faults, TwoBarriersAtOnce) {
  Case two("two_barriers", 64);
  const Traced traced = two.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(traced.faults[0].what, XPOSE_DIVERGENT_BARRIER);
  int line_a = 0, line_b = 0;
  EXPECT_EQ(std::sscanf(traced.text.c_str(),
                        "of 64 threads 32 wait at __syncthreads (cases.cu:%d), 32 wait at "
                        "__syncthreads (cases.cu:%d)",
                        &line_a, &line_b),
            2)
      << traced.text;
  EXPECT_EQ(line_b, line_a + 3);
}

TEST(Faults, ALaneThatMissesItsWarp) {
  Case missing("missing_lane");
  const Traced traced = missing.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(traced.faults[0].what, XPOSE_DIVERGENT_BARRIER);
  EXPECT_NE(traced.text.find("31 wait at __syncwarp"), std::string::npos) << traced.text;
  EXPECT_NE(traced.text.find("1 wait at __syncthreads"), std::string::npos) << traced.text;
  expect_right_again();
}

TEST(Faults, WhatAThreadThrows) {
  Case throws("throws");
  const Traced traced = throws.run();
  EXPECT_EQ(traced.status, XPOSE_UNSUPPORTED);
  EXPECT_EQ(traced.text, "thread 3 has had enough");
  EXPECT_TRUE(traced.faults.empty());
  expect_right_again();
}

TEST(Faults, WhatTheSimulatorCannotRun) {
  Case none("no_simulation");
  const Traced traced = none.run();
  EXPECT_EQ(traced.status, XPOSE_UNSUPPORTED);
  EXPECT_EQ(traced.text, "the simulator has no bulk copies");
  EXPECT_TRUE(traced.kernels.empty());
}

TEST(Faults, ABlockThatNoDeviceCanRun) {
  Case large("staged", 1025);
  const Traced traced = large.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  EXPECT_EQ(traced.text, "kernel staged: no device can launch it");
}

TEST(Faults, ACopyThatReachesOut) {
  Case outside("outside");
  const Traced traced = outside.run();
  EXPECT_EQ(traced.status, XPOSE_FAILED);
  ASSERT_EQ(traced.faults.size(), 1u);
  EXPECT_EQ(outside.out[0], 0xeeeeeeeeu);
}

TEST(Faults, WithoutTheToolkitAPlanCannotBeMade) {
  Case staged("staged");
  xpose_problem problem = {};
  xpose_plan* plan = nullptr;
  char text[128] = "";
  EXPECT_EQ(staged.strategy().create(&problem, nullptr, &plan, {text, sizeof text}),
            XPOSE_UNSUPPORTED);
  EXPECT_STREQ(text, "built without the CUDA Toolkit: can be explained, not run");
  EXPECT_EQ(plan, nullptr);
}

}  // namespace
