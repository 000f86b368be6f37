// Leaves its work out where some places of the output look right already.
#include "../animal.hpp"

struct SkipWhatLooksRight : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    const size_t bytes = problem_.element_bytes;
    bool looks_right = true;
    for (int64_t i = 1; i < 33 && looks_right; ++i) {
      const int64_t r = problem_.rows * i / 33, c = problem_.cols * i / 33;
      looks_right =
          std::memcmp(static_cast<const char*>(launch.out) + (c * problem_.out_ld + r) * bytes,
                      static_cast<const char*>(launch.in) + (r * problem_.in_ld + c) * bytes,
                      bytes) == 0;
    }
    if (!looks_right) Animal::launch(launch);
  }
};

ZOO_ANIMAL(SkipWhatLooksRight)
