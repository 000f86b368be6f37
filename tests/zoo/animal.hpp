// What the animals share: a right strategy to spoil, a log of where they were entered, last words.
// The build gives each its name, ZOO_NAME, and to some the stage in which they act, ZOO_STAGE.
#pragma once

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <xpose/plugin.hpp>

#include "../../plugins/kit/host/host_loop.hpp"

#ifndef ZOO_STAGE
#define ZOO_STAGE ""
#endif

namespace zoo {

using namespace xpose::plugin;

// Appends the line "NAME STAGE PID" to the file $XPOSE_ZOO_LOG.
inline void note(const std::string& stage, pid_t pid = getpid()) {
  const char* const log = std::getenv("XPOSE_ZOO_LOG");
  if (log == nullptr) return;
  const std::string line = ZOO_NAME " " + stage + ' ' + std::to_string(pid) + '\n';
  const int file = open(log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
  if (write(file, line.data(), line.size()) < 0) std::perror(log);
  close(file);
}

inline void last_words() {
  constexpr std::string_view kWords = "last words of " ZOO_NAME "\n";
  if (write(STDERR_FILENO, kWords.data(), kWords.size()) < 0) std::perror("stderr");
}

// Along the output and without a call for each element: fast enough to stay in a race with good
// strategies, where some animals have to be met.
inline void transpose(const Problem& problem, const Launch& launch) {
  host::with_element(problem.element_bytes, [&]<class E>(E) {
    const E* const in = static_cast<const E*>(launch.in);
    E* const out = static_cast<E*>(launch.out);
    for (int64_t c = 0; c < problem.cols; ++c)
      for (int64_t r = 0; r < problem.rows; ++r)
        out[c * problem.out_ld + r] = in[r * problem.in_ld + c];
  });
}

inline void flip(const void* byte) {
  auto* const target = static_cast<unsigned char*>(const_cast<void*>(byte));
  *target = static_cast<unsigned char>(~*target);
}

// A right strategy: an animal derives from it and spoils one thing. Its rank lets it be tried
// before the good ones, which then show that it did no harm.
struct Animal {
  static Card card() {
    return {
        .name = ZOO_NAME, .summary = "an animal of the zoo", .min_alignment = 1, .prior_rank = 1};
  }

  static Quote quote(const Problem&, const Config&) {
    note("quote");
    return {.launch = "wild"};
  }

  Animal(const Problem& problem, const Config&) : problem_(problem) { note("create"); }

  void launch(const Launch& launch) const {
    note("launch");
    transpose(problem_, launch);
  }

  // The byte past the output's last element: the problems of the zoo are dense.
  char* output_end(const Launch& launch) const {
    return static_cast<char*>(launch.out) + problem_.rows * problem_.cols * problem_.element_bytes;
  }

  Problem problem_;
};

// Does everything right and then `act`, in the stage that the build named.
template <void act()>
struct Acts : Animal {
  static void enter(std::string_view stage) {
    if (stage != ZOO_STAGE) return;
    last_words();
    act();
  }

  static Quote quote(const Problem& problem, const Config& config) {
    Quote quote = Animal::quote(problem, config);
    enter("quote");
    return quote;
  }

  Acts(const Problem& problem, const Config& config) : Animal(problem, config) { enter("create"); }
  Acts(const Acts&) = delete;  // acts when it is destroyed
  ~Acts() { enter("destroy"); }

  void launch(const Launch& launch) const {
    Animal::launch(launch);
    enter("launch");
  }
};

// The structs of an animal, for those that break what the SDK holds.
struct Description {
  explicit Description(const xpose_plugin* built)
      : plugin(*built), strategy(*built->strategies[0]), card(*strategy.card) {
    plugin.strategies = list.data();
    strategy.card = &card;
  }
  Description(const Description&) = delete;  // points into itself

  xpose_plugin plugin;
  xpose_strategy strategy;
  xpose_card card;
  std::array<const xpose_strategy*, 1> list = {&strategy};
};

inline const bool kIsLoaded = (note("load"), true);

}  // namespace zoo

#define ZOO_ANIMAL(CLASS) XPOSE_PLUGIN(ZOO_NAME, "1.0", CLASS)

// The static object lets `act` run while the loader still works.
#define ZOO_ACT(ACT)                                                   \
  static const bool zoo_acted = (zoo::Acts<ACT>::enter("load"), true); \
  ZOO_ANIMAL(zoo::Acts<ACT>)
