// Two ranks that are threads of this program, each on a GPU.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <thread>
#include <vector>

#include "contestant.hpp"

namespace xpose::bench {

// Both ranks at once. A failure ends the program, since the other rank may wait for ever.
inline void on_both(const std::function<void(int rank)>& body) {
  std::vector<std::thread> threads;
  for (int rank = 0; rank < kRanks; ++rank)
    threads.emplace_back([&body, rank] {
      try {
        check(cudaSetDevice(rank), "making a device current");
        body(rank);
      } catch (const std::exception& error) {
        std::fprintf(stderr, "rank %d: %s\n", rank, error.what());
        std::fflush(nullptr);
        std::_Exit(1);
      }
    });
  for (std::thread& thread : threads) thread.join();
}

}  // namespace xpose::bench
