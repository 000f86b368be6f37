// The file of a cache: created for its owner alone, opened under a lock that says it is in use, and
// moved aside where it is corrupt.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <optional>
#include <string>

#include "cache/database.hpp"

namespace xpose {

// An advisory lock on FILE-lock. A cache file is used under a shared one and moved under an
// exclusive one: renaming a database that another process has open would mix its journal with the
// new file's.
class FileLock {
 public:
  enum class Mode { shared, exclusive };
  FileLock() = default;  // holds nothing
  // Opens the lock, which it creates; throws DatabaseError: unwritable, or failed where it
  // is no plain file.
  explicit FileLock(const std::filesystem::path& file);
  FileLock(FileLock&& other) noexcept;
  FileLock& operator=(FileLock&& other) noexcept;
  ~FileLock();

  bool try_lock(Mode mode);  // replaces what is held; also true where the file system has no locks

 private:
  int descriptor_ = -1;
};

struct Inode {
  dev_t device = 0;
  ino_t number = 0;  // 0: no file
  bool operator==(const Inode&) const = default;
};
Inode inode_of(const std::filesystem::path& file);

struct CacheFile {
  FileLock in_use;
  Inode inode;
  Database database;
  Journal journal = Journal::write_ahead;
};

// Creates the file and its folders where they are missing. Throws DatabaseError.
CacheFile open_cache_file(const std::filesystem::path& file);

// Of another user, on a read-only medium, ...; the file must be of this program's schema. Throws
// DatabaseError.
Database open_cache_read_only(const std::filesystem::path& file);

// Renames the corrupt file, with its journal, to FILE.corrupt-N; returns the new name, or nothing
// where another process has done that. The caller has closed it. Throws DatabaseError: busy where
// another process keeps it open.
std::optional<std::filesystem::path> move_aside(const std::filesystem::path& file, Inode corrupt);

// "cache FILE: what is wrong; what to do".
std::string explain(const std::filesystem::path& file, const DatabaseError& error);

}  // namespace xpose
