// Returns at once, while a thread still works.
#include <chrono>
#include <thread>

#include "../animal.hpp"

struct FinishLater : zoo::Animal {
  using Animal::Animal;
  void launch(const xpose_launch& launch) const {
    std::thread([animal = *this, launch] {
      std::this_thread::sleep_for(std::chrono::microseconds(200));
      animal.Animal::launch(launch);
    }).detach();
  }
};

ZOO_ANIMAL(FinishLater)
