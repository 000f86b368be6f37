// Goes by way of memory that all its launches have in common.
#include <vector>

#include "../animal.hpp"

struct ShareScratch : zoo::Animal {
  using Animal::Animal;
  void launch(const zoo::Launch& launch) const {
    static std::vector<char> scratch(1 << 20);
    const size_t bytes = problem_.element_bytes;
    for (int64_t r = 0; r < problem_.rows; ++r) {
      const auto row = static_cast<size_t>(problem_.cols) * bytes;
      std::memcpy(scratch.data(), static_cast<const char*>(launch.in) + r * problem_.in_ld * bytes,
                  row);
      for (int64_t c = 0; c < problem_.cols; ++c)
        std::memcpy(static_cast<char*>(launch.out) + (c * problem_.out_ld + r) * bytes,
                    scratch.data() + c * bytes, bytes);
    }
  }
};

ZOO_ANIMAL(ShareScratch)
