// Right, and reads a byte beside the input. Its name says where.
#include "../animal.hpp"

struct ReadOutside : zoo::Animal {
  using Animal::Animal;

  void launch(const zoo::Launch& launch) const {
    Animal::launch(launch);
    const int64_t size = problem_.element_bytes;
    const int64_t end = ((problem_.rows - 1) * problem_.in_ld + problem_.cols) * size;
    if (is("read_before_input")) read(launch, -1);
    if (is("read_past_input")) read(launch, (end + 63) / 64 * 64);  // as a vector does
    if (is("read_gap"))
      for (int64_t at = problem_.cols; at < problem_.in_ld; ++at) read(launch, at * size);
  }

  static bool is(std::string_view name) { return name == ZOO_NAME; }
  static void read(const zoo::Launch& launch, int64_t at) {
    static_cast<void>(*(static_cast<const volatile char*>(launch.in) + at));
  }
};

ZOO_ANIMAL(ReadOutside)
