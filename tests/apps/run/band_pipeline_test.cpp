// Tiles pass every stage in their order, whatever the stages' pace, and the first error ends all.
#include "run/band_pipeline.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <pthread.h>

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <stdexcept>
#include <thread>
#include <vector>

// How many more threads there are to be had.
std::atomic<int> threads_left = 1000;

extern "C" int pthread_create(pthread_t* thread, const pthread_attr_t* attributes,
                              void* (*start)(void*), void* argument) {
  static const auto create =
      reinterpret_cast<decltype(&pthread_create)>(dlsym(RTLD_NEXT, "pthread_create"));
  return threads_left-- > 0 ? create(thread, attributes, start, argument) : EAGAIN;
}

namespace xpose::app {
namespace {

constexpr std::int64_t kTiles = 8;
constexpr std::uint64_t kBytes = 4096;
const std::vector<std::int64_t> kInOrder = {0, 1, 2, 3, 4, 5, 6, 7};

void pause_for(int milliseconds) {
  std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
}

std::int64_t one_strip(std::int64_t) { return 1; }

// Tiles of one to three strips.
std::int64_t some_strips(std::int64_t tile) { return 1 + tile % 3; }

// Each stage checks that it gets what the one before has left. Tiles gather their strips.
std::vector<std::int64_t> tiles_written(int slow_read, int slow_transpose, int slow_write) {
  std::vector<std::int64_t> tiles;
  run_bands(kTiles, {kBytes, kBytes},
            {some_strips,
             [&](const Strip& strip, std::byte* in) {
               pause_for(slow_read);
               std::memcpy(in, &strip, sizeof strip);
             },
             [&](const Strip& strip, const std::byte* in, std::byte* out) {
               pause_for(slow_transpose);
               EXPECT_EQ(std::memcmp(in, &strip, sizeof strip), 0);
               std::memcpy(out + static_cast<std::size_t>(strip.number) * sizeof strip, in,
                           sizeof strip);
             },
             [&](std::int64_t tile, const std::byte* out) {
               pause_for(slow_write);
               for (std::int64_t number = 0; number < some_strips(tile); ++number) {
                 const Strip strip = {tile, number};
                 EXPECT_EQ(std::memcmp(out, &strip, sizeof strip), 0);
                 out += sizeof strip;
               }
               tiles.push_back(tile);
             }});
  return tiles;
}

TEST(BandPipeline, HandsEveryTileThroughInOrder) {
  EXPECT_EQ(tiles_written(0, 0, 0), kInOrder);
  EXPECT_EQ(tiles_written(5, 0, 0), kInOrder);
  EXPECT_EQ(tiles_written(0, 5, 0), kInOrder);
  EXPECT_EQ(tiles_written(0, 0, 5), kInOrder);
}

TEST(BandPipeline, DoesWithoutThreads) {
  for (const int threads : {0, 1}) {
    threads_left = threads;
    EXPECT_EQ(tiles_written(0, 0, 0), kInOrder) << threads;
  }
  threads_left = 1000;
}

TEST(BandPipeline, ThrowsTheFirstErrorOfAnyStage) {
  for (int failing = 0; failing < 3; ++failing) {
    int calls = 0;
    const auto stage = [&](int which) {
      if (which == failing && ++calls == 3) throw std::runtime_error(std::to_string(which));
    };
    try {
      run_bands(kTiles, {kBytes, kBytes},
                {one_strip, [&](const Strip&, std::byte*) { stage(0); },
                 [&](const Strip&, const std::byte*, std::byte*) { stage(1); },
                 [&](std::int64_t, const std::byte*) { stage(2); }});
      ADD_FAILURE() << "no error of stage " << failing;
    } catch (const std::runtime_error& error) {
      EXPECT_EQ(error.what(), std::to_string(failing));
    }
    EXPECT_EQ(calls, 3);
  }
}

TEST(BandPipeline, StripsOfOneTileAreReadWhileOthersAreTransposed) {
  std::atomic<int> read = 0;
  run_bands(1, {kBytes, kBytes},
            {[](std::int64_t) { return 2; }, [&](const Strip&, std::byte*) { ++read; },
             [&](const Strip&, const std::byte*, std::byte*) {
               for (int i = 0; read < 2 && i < 5000; ++i) pause_for(1);
             },
             [&](std::int64_t, const std::byte*) { EXPECT_EQ(read, 2); }});
  EXPECT_EQ(read, 2);
}

TEST(BandPipeline, OneStripNeedsNoThread) {
  const auto here = std::this_thread::get_id();
  int calls = 0;
  const auto stage = [&] {
    EXPECT_EQ(std::this_thread::get_id(), here);
    ++calls;
  };
  run_bands(1, {1024, 1024},
            {one_strip, [&](const Strip&, std::byte*) { stage(); },
             [&](const Strip&, const std::byte*, std::byte*) { stage(); },
             [&](std::int64_t, const std::byte*) { stage(); }});
  EXPECT_EQ(calls, 3);
}

}  // namespace
}  // namespace xpose::app
