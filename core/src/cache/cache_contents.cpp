// Whole cache files, for the command: where they are, and all that is in one.
#include <cstdlib>

#include "cache/cache_file.hpp"
#include "cache/cache_rows.hpp"
#include "process/environment.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

template <class Body>
void with_errors(const fs::path& file, const Body& body) {
  try {
    body();
  } catch (const DatabaseError& error) {
    throw Error(ErrorKind::failed, explain(file, error));
  }
}

void require_file(const fs::path& file) {
  std::error_code failure;
  const bool exists = fs::exists(file, failure);
  if (failure)
    throw Error(ErrorKind::failed, "cache " + file.string() +
                                       " cannot be looked for: " + failure.message() +
                                       "; name another with --cache or in XPOSE_CACHE");
  if (!exists)
    throw Error(ErrorKind::failed, "cache " + file.string() +
                                       ": there is no such file; `xpose tune` creates one, and "
                                       "--cache or XPOSE_CACHE names another");
}

}  // namespace

fs::path default_cache_file() {
  if (const char* file = environment("XPOSE_CACHE")) return file;
  // A relative folder means nothing there, says XDG.
  if (const char* caches = environment("XDG_CACHE_HOME"); caches != nullptr && *caches == '/')
    return fs::path(caches) / "xpose/trials.sqlite";
  if (const char* home = environment("HOME"); home != nullptr && *home == '/')
    return fs::path(home) / ".cache/xpose/trials.sqlite";
  return {};
}

fs::path system_cache_file() { return "/var/lib/xpose/trials.sqlite"; }

CacheContents read_cache(const fs::path& file) {
  require_file(file);
  CacheContents contents;
  with_errors(file, [&] {
    const auto read_from = [&](Database& database) {
      database.read([&] { contents = read_rows(database); });
    };
    try {
      Database database = open_cache_read_only(file);
      read_from(database);
    } catch (const DatabaseError& error) {
      if (error.fault() != DatabaseError::Fault::older) throw;
      CacheFile cache = open_cache_file(file);  // which brings it up to date
      read_from(cache.database);
    }
  });
  return contents;
}

std::size_t merge_into_cache(const fs::path& file, const CacheContents& contents) {
  std::size_t merged = 0;
  with_errors(file, [&] {
    CacheFile cache = open_cache_file(file);
    cache.database.write(Durability::process,
                         [&] { merged = merge_rows(cache.database, contents); });
  });
  return merged;
}

std::size_t forget(const fs::path& file, const CacheFilter& filter) {
  require_file(file);
  std::size_t removed = 0;
  with_errors(file, [&] {
    CacheFile cache = open_cache_file(file);
    cache.database.write(Durability::process,
                         [&] { removed = remove_rows(cache.database, filter); });
  });
  return removed;
}

}  // namespace xpose
