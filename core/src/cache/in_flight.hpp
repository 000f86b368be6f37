// The trial that a process is at, written down before it begins: what takes the machine down leaves
// its name behind.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cache/cache.hpp"
#include "cache/database.hpp"

namespace xpose {

// A process, told apart from one that later has its number.
struct ProcessIdentity {
  std::string machine;  // host name: other machines may use the same file
  std::string boot;     // the kernel's id of this boot; empty: unknown
  std::int64_t pid = 0;
  std::int64_t started = 0;  // clock ticks since boot; 0: no such process
};
ProcessIdentity this_process();

// Inside Database::write; they throw DatabaseError. A process has at most one trial in flight.
void put_in_flight(Database& database, const ProcessIdentity& process, const Unfinished& trial);
void remove_in_flight(Database& database, const ProcessIdentity& process);

bool any_in_flight(Database& database);  // of any process

// As Cache::take_unfinished, for the machine that `process` runs on. Writes only where there is
// something to take.
std::vector<Unfinished> take_unfinished(Database& database, const ProcessIdentity& process);

}  // namespace xpose
