#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "../pattern/odd_problems.hpp"
#include "device/device.hpp"
#include "problem/normal_form.hpp"
#include "trial/arena.hpp"
#include "trial/verify.hpp"

namespace xpose {
namespace {

class CudaBackendTest : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string reason = cuda_unavailable_reason(); !reason.empty())
      GTEST_SKIP() << "SKIPPED: " << reason;
    cuda = &backend({DeviceKind::cuda, 0});
    cuda->make_current();
  }
  Backend* cuda = nullptr;
};

TEST_F(CudaBackendTest, FindsTheFirstDifferenceAtAnyAddress) {
  const std::uint64_t bytes = 5'000'003;
  std::vector<std::byte> host(bytes, std::byte{7});
  DeviceBuffer a(*cuda, bytes);
  DeviceBuffer b(*cuda, bytes);
  cuda->upload(a.data(), host.data(), bytes);
  cuda->upload(b.data(), host.data(), bytes);
  EXPECT_FALSE(cuda->first_difference(a.data(), b.data(), bytes));
  for (const std::uint64_t at :
       {std::uint64_t{0}, std::uint64_t{15}, std::uint64_t{4'000'001}, bytes - 4, bytes - 1}) {
    host[at] = std::byte{8};
    const std::byte last = host[bytes - 1];
    host[bytes - 1] = std::byte{9};
    cuda->upload(b.data(), host.data(), bytes);
    host[at] = std::byte{7};
    host[bytes - 1] = at == bytes - 1 ? std::byte{7} : last;
    EXPECT_EQ(cuda->first_difference(a.data(), b.data(), bytes), at);
    EXPECT_EQ(cuda->first_difference(a.data() + 1, b.data() + 1, bytes - 1),
              at == 0 ? bytes - 2 : at - 1);
  }
}

// Bit for bit what the host writes, and blind to no byte: guards, gaps, elements, cut elements.
TEST_F(CudaBackendTest, PatternsAgreeWithTheHosts) {
  Backend& host = backend(Device{});
  for (const std::uint32_t bytes : {1U, 2U, 4U, 8U, 16U, 48U})
    for (const Problem& problem : odd_problems(bytes))
      for (const std::uint64_t begin : {std::uint64_t{256}, std::uint64_t{257}}) {
        const Problem normal = normal_form(problem);
        const std::uint64_t size =
            (begin + static_cast<std::uint64_t>(out_span(normal)) * bytes + 511) / 256 * 256;
        Pattern pattern = output_pattern(normal, size, begin);
        DeviceBuffer there(*cuda, size);
        std::vector<std::byte> here(size);
        for (const bool poison : {false, true}) {
          pattern.flip = poison ? ~std::uint64_t{0} : 0;
          host.fill(pattern, here.data(), 0, size);
          std::vector<std::byte> found(size);
          cuda->fill(pattern, there.data(), 0, size);
          cuda->download(found.data(), there.data(), size);
          ASSERT_EQ(found, here) << to_string(normal);
          ASSERT_FALSE(cuda->difference(pattern, there.data(), 0, size));
        }
        for (std::uint64_t at = 0; at < size; at += 1 + size / 37) {
          const std::byte wrong = ~here[at];
          cuda->upload(there.data() + at, &wrong, 1);
          EXPECT_EQ(cuda->difference(pattern, there.data(), 0, size), at) << to_string(normal);
          EXPECT_EQ(cuda->difference(pattern, there.data(), at, size), at);
          EXPECT_FALSE(cuda->difference(pattern, there.data(), at + 1, size));
          EXPECT_FALSE(cuda->difference(pattern, there.data(), 0, at));
          cuda->upload(there.data() + at, &here[at], 1);
        }
      }
}

// Indices beyond 32 bits: far into a matrix of 2^33 bytes, of which the host computes the same.
TEST_F(CudaBackendTest, PatternsAgreeBeyond32Bits) {
  const std::int64_t side = 92681;  // squared: above 2^33
  for (const std::uint32_t bytes : {1U, 4U}) {
    Pattern pattern;
    pattern.bytes = 1 << 20;
    pattern.begin = 256;
    pattern.element_bytes = bytes;
    pattern.span = (pattern.bytes - 512) / bytes;
    pattern.rank = 1;
    pattern.dims[0] = {pattern.span, 1, side};
    std::vector<std::byte> here(pattern.bytes);
    std::vector<std::byte> found(pattern.bytes);
    DeviceBuffer there(*cuda, pattern.bytes);
    fill_pattern(pattern, here.data(), 0, pattern.bytes);
    cuda->fill(pattern, there.data(), 0, pattern.bytes);
    cuda->download(found.data(), there.data(), pattern.bytes);
    EXPECT_EQ(found, here);
  }
}

// The kernels and the host change and judge the same places in the same way.
TEST_F(CudaBackendTest, SpotsAgreeWithTheHosts) {
  for (const std::uint32_t bytes : {1U, 4U, 16U, 48U})
    for (Problem problem : odd_problems(bytes)) {
      Problem on_device = problem;
      on_device.device = {DeviceKind::cuda, 0};
      Arena here(backend(Device{}), normal_form(problem), 2);
      Arena there(*cuda, normal_form(on_device), 2);
      const auto launched = Arena::Launched::transpose;
      const Spots mine = here.change_spots(here.spots(launched, 0, 2, 40), 7);
      const Spots theirs = there.change_spots(there.spots(launched, 0, 2, 40), 7);
      std::vector<std::byte> found(here.out_buffer(1).size());
      cuda->download(found.data(), there.out_buffer(1).data(), found.size());
      EXPECT_TRUE(std::ranges::equal(found, here.out_buffer(1)));
      std::vector<std::byte> input(here.in_buffer(1).size());
      cuda->download(input.data(), there.in_buffer(1).data(), input.size());
      EXPECT_TRUE(std::ranges::equal(input, here.in_buffer(1)));
      EXPECT_EQ(cuda->wrong_spot(theirs), 0U);
      for (std::uint32_t i = 0; i < theirs.count(); ++i) {
        const Spot spot = spot_at(theirs, i);
        cuda->upload(spot.out, &spot.changed, theirs.pattern.element_bytes);
      }
      EXPECT_FALSE(cuda->wrong_spot(theirs));
      EXPECT_EQ(there.check_spots(theirs, launched).detail, "");
      EXPECT_NE(here.check_spots(mine, launched).detail, "");
    }
}

// The device's check against Eigen's result: a right output passes, one wrong byte does not.
TEST_F(CudaBackendTest, ArenaAgreesWithEigen) {
  Problem problem = matrix(517, 333, 4, {DeviceKind::cuda, 0});
  problem.out_ld = 520;
  const Problem normal = normal_form(problem);
  Arena arena(*cuda, normal, 1);
  std::vector<std::byte> in(static_cast<std::size_t>(in_span(normal)) * 4);
  std::vector<std::byte> out(static_cast<std::size_t>(out_span(normal)) * 4);
  cuda->download(in.data(), arena.in(0), in.size());
  cuda->download(out.data(), arena.out(0), out.size());
  reference_transpose(normal, in.data(), out.data());
  cuda->upload(arena.out(0), out.data(), out.size());
  EXPECT_EQ(arena.check_transpose(0).verdict, Verdict::ok);
  out[4 * (520 * 332 + 516)] ^= std::byte{1};
  cuda->upload(arena.out(0), out.data(), out.size());
  const Outcome outcome = arena.check_transpose(0);
  EXPECT_EQ(outcome.verdict, Verdict::wrong_result);
  EXPECT_NE(outcome.detail.find("out[332,516]"), std::string::npos) << outcome.detail;
}

TEST_F(CudaBackendTest, TooMuchMemoryIsAnErrorThatLeavesTheDeviceUsable) {
  try {
    DeviceBuffer huge(*cuda, std::uint64_t{1} << 50);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(e.kind(), ErrorKind::no_memory);
  }
  DeviceBuffer small(*cuda, 1000);
  cuda->synchronize();
}

}  // namespace
}  // namespace xpose
