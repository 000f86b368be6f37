#include "worker/quarantine.hpp"

#include <ctime>
#include <utility>

namespace xpose {

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
