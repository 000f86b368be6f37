// A use of the library in which allocations fail, and what must come of it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>

#include "failing_allocator.hpp"

namespace xpose {

// A folder of two plugins and a cache, removed with it.
class Workplace {
 public:
  Workplace();
  ~Workplace();
  Workplace(const Workplace&) = delete;  // owns the folder
  Workplace& operator=(const Workplace&) = delete;

  std::filesystem::path plugins() const { return folder_ / "plugins"; }
  std::filesystem::path cache() const { return folder_ / "cache" / "trials.sqlite"; }
  void forget() const { std::filesystem::remove_all(cache().parent_path()); }

 private:
  std::filesystem::path folder_;
};

struct Subject;

// What the engine remembers on disk: nothing, what earlier attempts left, or a file of its own.
enum class Memory { none, kept, fresh };

// A call whose allocations fail, what comes before it, and what makes a transposed matrix of it.
struct Scenario {
  const char* name;
  Memory memory;
  void (*prepare)(Subject&);
  void (*call)(Subject&);
  void (*finish)(Subject&);
  std::uint64_t step = 1;  // between the allocations that fail
};

std::span<const Scenario> scenarios();  // each call of an engine
const Scenario& first_use();            // tuning, planning and executing

struct Attempt {
  bool reached = false;   // the nth allocation was asked for
  std::string complaint;  // what went otherwise than it must
};

// The call with a failing allocator, and then the same call with a sound one. The first may go
// well, throw an Error of kind no_memory, or go on without what it had no memory for; the second
// goes well.
Attempt attempt(const Workplace& place, bool in_process, const Scenario& scenario,
                std::uint64_t nth, Failing failing);

}  // namespace xpose
