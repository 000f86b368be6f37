// What every animal must leave standing: the host, the other plugins, and what is remembered of it.
#pragma once

#include <ostream>

#include "enclosure.hpp"

namespace xpose::zoo {

struct Animal {
  std::string name;
  Verdict verdict = Verdict::ok;
  // In the trial's detail; for a plugin that is not even described, in PluginInfo::refused.
  std::vector<std::string> words = {};
  bool refused = false;
  // A hang waits for these, everything else is too fast to come near. Where they are fewer than the
  // default, a hang is not remembered.
  double stage_seconds = 60;
};
void PrintTo(const Animal& animal, std::ostream* out);

// Meets the animal three times, each with a new engine on the same cache:
//   - its strategy, or its file, ends as expected; all strategies of the good plugins are tried and
//     found right; one of them wins, and transposes in this process, and so does the next
//     problem's;
//   - where that is a bad end it was seen in two workers, and the next engine knows without
//     entering the plugin again, if it may be remembered; any other end is met anew;
//   - rebuilt, it starts clean.
// No animal is entered in this process, and no process is left. With `device` cuda, the plan of the
// good plugin shows that this process's own CUDA context lives.
void expect_survival(const Animal& animal, const std::filesystem::path& file,
                     const std::vector<std::filesystem::path>& good, Device device);

}  // namespace xpose::zoo
