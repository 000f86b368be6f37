#include "cache/in_flight.hpp"

#include <sys/utsname.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace xpose {
namespace {

// When a process began, in clock ticks since boot: field 22 of its stat line; 0: it is gone.
std::int64_t start_of(std::int64_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  std::string line;  // empty where it ends just now
  std::getline(file, line, '\0');
  const std::size_t name_end = line.rfind(')');  // the name, field 2, may hold anything
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(line.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 22; ++field) fields >> skipped;
  std::int64_t started = 0;
  fields >> started;
  return started;
}

struct Row {
  ProcessIdentity process;
  Unfinished trial;
};

std::vector<Row> rows_of(Database& database, const std::string& machine) {
  std::vector<Row> rows;
  Statement row = database.run(
      "SELECT boot, pid, started, digest, strategy, what, since FROM in_flight WHERE machine = ?",
      {machine});
  while (row.step())
    rows.push_back({{machine, row.text(0), row.integer(1), row.integer(2)},
                    {row.text(3), row.text(4), row.text(5), row.integer(6)}});
  return rows;
}

}  // namespace

ProcessIdentity this_process() {
  ProcessIdentity process;
  utsname names{};
  if (uname(&names) == 0) process.machine = static_cast<const char*>(names.nodename);
  std::ifstream("/proc/sys/kernel/random/boot_id") >> process.boot;
  process.pid = getpid();
  process.started = start_of(process.pid);
  return process;
}

void put_in_flight(Database& database, const ProcessIdentity& process, const Unfinished& trial) {
  database.change(
      "INSERT OR REPLACE INTO in_flight(machine, boot, pid, started, digest, strategy, what, "
      "since) VALUES(?,?,?,?,?,?,?,?)",
      {process.machine, process.boot, process.pid, process.started, trial.digest, trial.strategy,
       trial.what, trial.since});
}

void remove_in_flight(Database& database, const ProcessIdentity& process) {
  database.change(
      "DELETE FROM in_flight WHERE machine = ? AND boot = ? AND pid = ? AND started = ?",
      {process.machine, process.boot, process.pid, process.started});
}

bool any_in_flight(Database& database) {
  return database.run("SELECT 1 FROM in_flight LIMIT 1").step();
}

std::vector<Unfinished> take_unfinished(Database& database, const ProcessIdentity& process) {
  const auto is_over = [&](const ProcessIdentity& other) {
    return other.boot != process.boot || start_of(other.pid) != other.started;
  };
  const auto any_over = [&] {
    for (const Row& row : rows_of(database, process.machine))
      if (is_over(row.process)) return true;
    return false;
  };
  std::vector<Unfinished> taken;
  if (!any_over()) return taken;
  database.write(Durability::process, [&] {
    taken.clear();
    for (Row& row : rows_of(database, process.machine)) {
      if (!is_over(row.process)) continue;
      remove_in_flight(database, row.process);
      if (row.process.boot != process.boot && !row.process.boot.empty() && !process.boot.empty())
        taken.push_back(std::move(row.trial));
    }
  });
  return taken;
}

}  // namespace xpose
