// What tests of the cache share: a folder of their own, rows, and child processes.
#pragma once

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>
#include <vector>

#include "../../temporary_folder.hpp"
#include "cache/cache.hpp"

namespace xpose {

class CacheFixture : public testing::Test {
 protected:
  Warn listener() {
    return [this](std::string_view warning) { warnings.emplace_back(warning); };
  }

  const TemporaryFolder temporary;
  const std::filesystem::path folder = temporary.path();
  std::filesystem::path file = folder / "trials.sqlite";
  std::vector<std::string> warnings;
};

inline std::string bytes_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void write_bytes(const std::filesystem::path& file, std::string_view bytes) {
  std::ofstream(file, std::ios::binary) << bytes;
}

inline CacheKey key_of(const std::string& problem) {
  return {"NVIDIA GPU, cc 9.0, 132 multiprocessors", "580.159.04", "1.0",
          "00112233445566778899aabbccddeeff",        problem,      "measure cold threads=2"};
}

// Its trials say which decision they belong to.
inline Decision decision_of(const std::string& problem, std::int64_t when = 1000) {
  Decision decision{
      key_of(problem), "d1", {"smem", {{"tile", 64}, {"rows", 8}}}, 0.1, 2e-5, when, {}};
  for (int place = 0; place < 5; ++place)
    decision.trials.push_back({"d1",
                               {"smem", {{"tile", place}}},
                               place == 4 ? Role::copy : Role::transpose,
                               place == 3 ? Verdict::wrong_result : Verdict::ok,
                               problem,
                               place / 3.0,
                               0.01,
                               place});
  return decision;
}

// A process that runs the body and exits with 0, with 1 where the body returns false.
inline pid_t start_child(const std::function<bool()>& body) {
  const pid_t child = fork();
  if (child == 0) {
    int code = 2;
    try {
      code = body() ? 0 : 1;
    } catch (const std::exception& error) {
      std::fprintf(stderr, "child: %s\n", error.what());
    }
    _exit(code);
  }
  return child;
}

// Its exit code, or -1 where a signal ended it.
inline int end_of(pid_t child) {
  int status = 0;
  if (waitpid(child, &status, 0) != child || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

// Runs the body in `count` processes that begin together; true where each returned true.
inline bool run_at_once(int count, const std::function<bool(int)>& body) {
  int gate[2];
  if (pipe(gate) != 0) return false;
  std::vector<pid_t> children;
  for (int index = 0; index < count; ++index)
    children.push_back(start_child([&, index] {
      close(gate[1]);
      char byte = 0;
      return read(gate[0], &byte, 1) == 0 && body(index);  // the end of the pipe opens the gate
    }));
  close(gate[0]);
  close(gate[1]);
  bool all = true;
  for (const pid_t child : children) all = end_of(child) == 0 && all;
  return all;
}

}  // namespace xpose
