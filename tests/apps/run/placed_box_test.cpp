// A part lies where it belongs, whatever its runs, and nothing beside it is touched.
#include "run/placed_box.hpp"

#include <gtest/gtest.h>

namespace xpose::app {
namespace {

// Extents of the larger array, and the part that is placed into it.
struct Case {
  std::vector<std::int64_t> whole;
  std::vector<std::int64_t> begin;
  std::vector<std::int64_t> extents;
};

std::vector<std::size_t> strides_of(const std::vector<std::int64_t>& extents, std::size_t item) {
  std::vector<std::size_t> strides(extents.size());
  for (std::size_t i = extents.size(); i-- > 0; item *= static_cast<std::size_t>(extents[i]))
    strides[i] = item;
  return strides;
}

void check(const Case& c, std::size_t item) {
  const std::vector<std::size_t> strides = strides_of(c.whole, item);
  std::size_t bytes = item;
  for (const std::int64_t extent : c.extents) bytes *= static_cast<std::size_t>(extent);
  std::vector<std::byte> from(bytes);
  for (std::size_t i = 0; i < bytes; ++i) from[i] = std::byte(i % 251 + 1);
  std::vector<std::byte> to(strides[0] * static_cast<std::size_t>(c.whole[0]));
  std::vector<std::byte> expected = to;
  std::size_t first = 0;
  for (std::size_t i = 0; i < strides.size(); ++i)
    first += static_cast<std::size_t>(c.begin[i]) * strides[i];
  for (std::size_t i = 0; i < bytes; ++i) {
    std::size_t element = i / item;
    std::size_t at = first + i % item;
    for (std::size_t axis = c.extents.size(); axis-- > 0;) {
      const auto extent = static_cast<std::size_t>(c.extents[axis]);
      at += element % extent * strides[axis];
      element /= extent;
    }
    expected.at(at) = from[i];
  }
  place_box({c.extents, strides, item}, from.data(), to.data() + first);
  EXPECT_TRUE(to == expected) << "items of " << item;
}

TEST(PlacedBox, IsWhereItBelongs) {
  const Case cases[] = {{{7}, {2}, {3}},
                        {{5, 6}, {1, 2}, {3, 4}},
                        {{5, 6}, {1, 0}, {3, 6}},
                        {{4, 5, 6}, {1, 2, 3}, {2, 1, 3}},
                        {{4, 5, 6}, {0, 2, 0}, {4, 3, 6}},
                        {{4, 1, 6, 3}, {1, 0, 2, 0}, {2, 1, 4, 3}},
                        {{3, 4, 5, 2}, {0, 0, 0, 0}, {3, 4, 5, 2}}};
  for (const Case& c : cases)
    for (const std::size_t item : {1, 2, 3, 4, 8, 16, 24, 256}) check(c, item);
}

}  // namespace
}  // namespace xpose::app
