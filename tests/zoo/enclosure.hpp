// Where a test keeps an animal: a folder for it, one for good plugins, a cache, and a log of where
// animals were entered.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>
#include <xpose/cache.hpp>
#include <xpose/xpose.hpp>

#include "../temporary_folder.hpp"

namespace xpose::zoo {

// An animal was entered, or (stage "child") has started a process.
struct Visit {
  std::string animal;
  std::string stage;  // load, quote, create, launch, child
  pid_t pid = 0;
};

class Enclosure {
 public:
  // A new temporary folder with copies of the files.
  Enclosure(const std::filesystem::path& animal, const std::vector<std::filesystem::path>& good);

  const std::filesystem::path& file() const { return animal_; }  // the animal's
  std::filesystem::path cache() const { return folder_ / "trials.sqlite"; }

  // For an engine that loads both folders, the animal's first, and adds to warnings().
  EngineOptions options(double stage_seconds);
  const std::vector<std::string>& warnings() const { return warnings_; }

  std::vector<Visit> visits() const;

  // A new file with a byte more, under the same name: as a rebuild that changes nothing but the
  // digest. This process may have loaded the old one.
  void rebuild() const;

 private:
  TemporaryFolder temporary_;
  std::filesystem::path folder_ = temporary_.path();
  std::filesystem::path animal_;
  std::vector<std::string> warnings_;
};

// The built file of an animal.
std::filesystem::path animal_file(const std::string& name);

// A trial of the strategy, or null.
const Trial* find_trial(const TuneReport& report, const std::string& strategy);

// Plans the problem, executes the plan in this process and compares the output.
void expect_transposes(Engine& engine, const Problem& problem);

// Within some seconds every visited process has ended, and this one has no child, not even a
// zombie.
void expect_nobody_left(const std::vector<Visit>& visits);

// No animal was entered in this process.
void expect_none_here(const std::vector<Visit>& visits);

}  // namespace xpose::zoo
