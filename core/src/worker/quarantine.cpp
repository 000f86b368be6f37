#include "worker/quarantine.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <ctime>
#include <utility>

namespace xpose {
namespace {

constexpr rlim_t kUsualStack = rlim_t{1} << 20;  // the least that anybody gives a program

// Whether this process, and so its worker, may have less memory than the machine, or less stack
// than is usual. A library whose allocations fail may wait, or end the process, that is sound
// without the limit.
bool is_memory_limited() {
  const auto installed =
      static_cast<rlim_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<rlim_t>(sysconf(_SC_PAGESIZE));
  const auto is_below = [](auto which, rlim_t bytes) {
    rlimit limit{};
    return getrlimit(which, &limit) == 0 && limit.rlim_cur < bytes;
  };
  return is_below(RLIMIT_AS, installed) || is_below(RLIMIT_DATA, installed) ||
         is_below(RLIMIT_STACK, kUsualStack);
}

}  // namespace

bool is_innocent(Verdict verdict) {
  return verdict == Verdict::ok || verdict == Verdict::unsupported || verdict == Verdict::no_memory;
}

bool is_answer(Verdict verdict) {
  return verdict == Verdict::ok || verdict == Verdict::unsupported ||
         verdict == Verdict::load_refused;
}

Quarantine put_in_quarantine(Cache& cache, const Warn& warn, Quarantine row) {
  row.since = static_cast<std::int64_t>(std::time(nullptr));
  cache.store(row);
  if (warn)
    warn(one_line((row.strategy.empty() ? "plugin " : "strategy " + row.strategy + " of ") +
                  row.file + " is now in quarantine, " + std::string(to_string(row.verdict)) +
                  " twice: " + row.words));
  return row;
}

std::optional<Quarantine> convict(const Worker& worker, Cache& cache, const Warn& warn,
                                  Quarantine row) {
  if (row.verdict == Verdict::timed_out && worker.is_impatient()) return std::nullopt;
  if (is_memory_limited()) return std::nullopt;
  return put_in_quarantine(cache, warn, std::move(row));
}

std::string describe(const Quarantine& quarantine) {
  const std::time_t since = quarantine.since;
  std::tm utc{};
  gmtime_r(&since, &utc);
  char date[32];
  (void)std::strftime(static_cast<char*>(date), sizeof date, "%Y-%m-%d %H:%M UTC", &utc);
  return std::string("in quarantine since ") + static_cast<const char*>(date) + ": " +
         quarantine.words + "; rebuild its plugin, or `xpose cache forget --" +
         (quarantine.strategy.empty() ? "quarantine" : "strategy " + quarantine.strategy) + '`';
}

}  // namespace xpose
