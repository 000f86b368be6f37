// CUDA's integer functions and vector types, against what the CUDA documentation says of them.
#include <gtest/gtest.h>

#include <xpose/simulator/bits.hpp>
#include <xpose/simulator/vectors.hpp>

namespace {

TEST(Words, BytePermSelectsBytesAndSigns) {
  constexpr unsigned kA = 0x33221100, kB = 0x776655f4;
  EXPECT_EQ(__byte_perm(kA, kB, 0x3210), kA);
  EXPECT_EQ(__byte_perm(kA, kB, 0x7654), kB);
  EXPECT_EQ(__byte_perm(kA, kB, 0x0123), 0x00112233u);
  EXPECT_EQ(__byte_perm(kA, kB, 0x5410), 0x55f41100u);
  EXPECT_EQ(__byte_perm(kA, kB, 0xffff7c3c), 0x77ff33ffu);  // byte 4 is negative; upper half unused
  EXPECT_EQ(__byte_perm(kA, kB, 0x000b), 0x00000000u);
}

TEST(Words, FunnelShiftsWrapOrClamp) {
  constexpr unsigned kLow = 0x89abcdef, kHigh = 0x01234567;
  EXPECT_EQ(__funnelshift_l(kLow, kHigh, 8), 0x23456789u);
  EXPECT_EQ(__funnelshift_r(kLow, kHigh, 8), 0x6789abcdu);
  EXPECT_EQ(__funnelshift_l(kLow, kHigh, 0), kHigh);
  EXPECT_EQ(__funnelshift_r(kLow, kHigh, 0), kLow);
  EXPECT_EQ(__funnelshift_l(kLow, kHigh, 40), 0x23456789u);
  EXPECT_EQ(__funnelshift_r(kLow, kHigh, 40), 0x6789abcdu);
  EXPECT_EQ(__funnelshift_lc(kLow, kHigh, 40), kLow);
  EXPECT_EQ(__funnelshift_rc(kLow, kHigh, 40), kHigh);
  EXPECT_EQ(__funnelshift_lc(kLow, kHigh, 8), 0x23456789u);
  EXPECT_EQ(__funnelshift_rc(kLow, kHigh, 8), 0x6789abcdu);
}

TEST(Words, CountsOfBits) {
  EXPECT_EQ(__popc(0xf0f00001), 9);
  EXPECT_EQ(__popcll(0xf0000000f0000001), 9);
  EXPECT_EQ(__clz(0), 32);
  EXPECT_EQ(__clz(1), 31);
  EXPECT_EQ(__clzll(0), 64);
  EXPECT_EQ(__ffs(0), 0);
  EXPECT_EQ(__ffs(8), 4);
  EXPECT_EQ(__ffsll(1ll << 40), 41);
  EXPECT_EQ(__brev(0x80000001u), 0x80000001u);
  EXPECT_EQ(__brev(0x00000006u), 0x60000000u);
  EXPECT_EQ(__brevll(6), 0x6000000000000000u);
}

TEST(Words, Products) {
  EXPECT_EQ(__umulhi(0x80000000u, 6), 3u);
  EXPECT_EQ(__mulhi(-1, 1), -1);
  EXPECT_EQ(__umul64hi(1ull << 63, 6), 3u);
  EXPECT_EQ(__mul24(-3, 5), -15);
  EXPECT_EQ(__mul24(0x01000002, 3), 6);
  EXPECT_EQ(__umul24(0xff000002, 3), 6u);
  EXPECT_EQ(min(-1, 2), -1);
  EXPECT_EQ(max(1u, 2u), 2u);
}

TEST(Words, VectorsHaveTheAlignmentOfTheDevice) {
  EXPECT_EQ(alignof(uchar2), 2u);
  EXPECT_EQ(alignof(uchar4), 4u);
  EXPECT_EQ(alignof(ushort4), 8u);
  EXPECT_EQ(alignof(uint2), 8u);
  EXPECT_EQ(alignof(float4), 16u);
  EXPECT_EQ(alignof(uint3), 4u);
  EXPECT_EQ(alignof(double2), 16u);
  EXPECT_EQ(alignof(ulonglong2), 16u);
  EXPECT_EQ(sizeof(float3), 12u);
  EXPECT_EQ(make_int4(1, 2, 3, 4).w, 4);
  EXPECT_EQ(dim3(7).y, 1u);
}

}  // namespace
