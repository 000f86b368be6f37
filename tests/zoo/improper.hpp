// Plugins whose output is right in every trial, but that do harm beside it.
#pragma once

#include <ostream>
#include <string>
#include <vector>
#include <xpose/conformance.hpp>

namespace xpose::zoo {

struct Improper {
  std::string name;
  Verdict verdict = Verdict::ok;
  std::vector<std::string> words;
  bool at_exit = false;
};
void PrintTo(const Improper& animal, std::ostream* out);

// What fails in the conformance suite, its smaller problems of 4 bytes.
std::vector<ConformanceCase> failures(const std::filesystem::path& plugin,
                                      const std::string& strategy, double stage_seconds = 60);

// The suite says what the animal does. Nothing of it ran here, and no process is left.
void expect_found(const Improper& animal);

// All the animals that were built have been met.
void expect_none_forgotten(const std::vector<Improper>& met);

}  // namespace xpose::zoo
