// Writes a byte of the input that is there already.
#include "../animal.hpp"

struct WriteInputBack : zoo::Animal {
  using Animal::Animal;
  void launch(const zoo::Launch& launch) const {
    Animal::launch(launch);
    auto* const byte = static_cast<volatile char*>(const_cast<void*>(launch.in)) + 1;
    *byte = *byte;
  }
};

ZOO_ANIMAL(WriteInputBack)
