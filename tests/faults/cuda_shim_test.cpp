// The shim before a driver that is not one: what it hands through, and what it fails.
#include <dlfcn.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace {

namespace fs = std::filesystem;

constexpr int kOutOfMemory = 2;
constexpr int kLaunchFailed = 719;

using LookUp = int (*)(const char*, void**, int, std::uint64_t, int*);
using Launch = int (*)(std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t,
                       std::int64_t, double, double, double, double, double, double, double, double,
                       std::int64_t, std::int64_t);

// The shim as the CUDA runtime sees it.
struct Driver {
  void* library = ::dlopen(XPOSE_SHIM, RTLD_NOW | RTLD_LOCAL);
  LookUp look_up = reinterpret_cast<LookUp>(::dlsym(library, "cuGetProcAddress_v2"));

  template <class Function>
  Function get(const char* name) const {
    void* function = nullptr;
    int status = 0;
    if (look_up(name, &function, 13000, 0, &status) != 0) return nullptr;
    return reinterpret_cast<Function>(function);
  }
  int init() const { return reinterpret_cast<int (*)(unsigned)>(::dlsym(library, "cuInit"))(0); }
  int launch() const {
    return get<Launch>("cuLaunchKernel")(1, 2, 3, 4, 5, 6, 0.5, 1.5, 2.5, 3.5, 4.5, 5.5, 6.5, 7.5,
                                         7, 8);
  }
};

class CudaShim : public testing::Test {
 protected:
  void SetUp() override { std::ofstream(token).put('\n'); }
  void TearDown() override {
    fs::remove(token);
    fs::remove(token + ".failed");
  }

  // The shim reads its orders once in a process: each test has one of its own.
  template <class Check>
  void expect_in_a_process(int at, int error, const Check& check) {
    const auto body = [&] {
      ::setenv("XPOSE_FAULT_DRIVER", XPOSE_FAKE_DRIVER, 1);
      ::setenv("XPOSE_FAULT_AT", std::to_string(at).c_str(), 1);
      ::setenv("XPOSE_FAULT_ERROR", std::to_string(error).c_str(), 1);
      ::setenv("XPOSE_FAULT_TOKEN", token.c_str(), 1);
      const Driver driver;
      check(driver);
      ::_exit(testing::Test::HasFailure() ? 1 : 0);
    };
    EXPECT_EXIT(body(), testing::ExitedWithCode(0), "");
  }
  std::string failed_function() const {
    std::ifstream file(token + ".failed");
    return {std::istreambuf_iterator<char>(file), {}};
  }

  std::string token = testing::TempDir() + "xpose_shim_" + std::to_string(::getpid());
};

TEST_F(CudaShim, HandsArgumentsThroughInRegistersAndOnTheStack) {
  expect_in_a_process(1000, kOutOfMemory, [](const Driver& driver) {
    EXPECT_EQ(driver.init(), 0);
    EXPECT_EQ(driver.launch(), 4242);
  });
  EXPECT_TRUE(fs::exists(token));
}

TEST_F(CudaShim, FailsOneCallForWantOfMemory) {
  expect_in_a_process(2, kOutOfMemory, [](const Driver& driver) {
    EXPECT_EQ(driver.init(), 0);
    EXPECT_EQ(driver.launch(), kOutOfMemory);
    EXPECT_EQ(driver.launch(), 4242);
    EXPECT_EQ(driver.init(), 0);
  });
  EXPECT_FALSE(fs::exists(token));
  EXPECT_EQ(failed_function(), "cuLaunchKernel");
}

TEST_F(CudaShim, FailsAllCallsAfterAFailedLaunch) {
  expect_in_a_process(2, kLaunchFailed, [](const Driver& driver) {
    EXPECT_EQ(driver.launch(), 4242);
    EXPECT_EQ(driver.launch(), kLaunchFailed);
    EXPECT_EQ(driver.launch(), kLaunchFailed);
    EXPECT_EQ(driver.init(), kLaunchFailed);
  });
}

TEST_F(CudaShim, FailsInOneProcessOfSeveral) {
  expect_in_a_process(1, kOutOfMemory,
                      [](const Driver& driver) { EXPECT_EQ(driver.init(), kOutOfMemory); });
  expect_in_a_process(1, kOutOfMemory, [](const Driver& driver) { EXPECT_EQ(driver.init(), 0); });
}

TEST_F(CudaShim, LooksUpWithoutCountingAndLeavesWordsAlone) {
  expect_in_a_process(1, kOutOfMemory, [](const Driver& driver) {
    using Words = int (*)(int, const char**);
    const char* words = "";
    EXPECT_EQ(driver.get<Words>("cuGetErrorString")(2, &words), 0);
    EXPECT_STREQ(words, "out of memory");
    EXPECT_EQ(driver.get<void*>("cuNoSuchFunction"), nullptr);
    EXPECT_EQ(driver.get<LookUp>("cuGetProcAddress"), driver.look_up);
    EXPECT_EQ(driver.launch(), kOutOfMemory);
  });
}

}  // namespace
