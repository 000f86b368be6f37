// A plugin file before anything of it runs: whether it may be loaded, and what it contains.
//
// A file to load belongs to root or the effective user and can be written by nobody else, and
// so does every folder on the way to it, as sshd asks of the files that it trusts. Two exceptions:
// a group may write if it is the user's own (same number as the user, and the process's group),
// which is how umask 002 leaves a build; and a folder above the plugins' own may be written by
// anyone if it is sticky (/tmp), since what lies in it cannot be renamed by others. Modes are all
// that is looked at. An access control list of POSIX shows in them as a group's right to write;
// NFSv4's do not show.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "cache/cache.hpp"
#include "process/descriptor.hpp"

namespace xpose {

// Why a file or folder is refused, one line that names the remedy. A file's reads on from its name
// ("cannot be read: ..."), a folder's names it.
struct Refusal {
  std::string why;
};

// An open plugin file. This descriptor is digested, checked and loaded, so that exchanging
// the file under its name changes nothing. [move only; closes itself]
class PluginFile {
 public:
  // Resolves symbolic links once and opens what they lead to, a regular file that obeys the rules
  // above. Where the links themselves lie does not matter. Throws Refusal. [any thread]
  static PluginFile open(const std::filesystem::path& file);

  const std::filesystem::path& path() const { return path_; }  // absolute, links resolved
  int descriptor() const { return descriptor_.get(); }
  const FileIdentity& identity() const { return identity_; }  // when it was opened

  // "was built for aarch64, ...", or an empty string: known without reading more than a header.
  std::string foreign() const;

  // 32 hexadecimal digits over the whole content (XXH3, 128 bits: what xxh128sum prints). Throws
  // Refusal where the file cannot be read, changed since it was opened, or holds more than 256 MiB:
  // one without end would stop who looks through a folder.
  std::string digest() const;

  // Throws Refusal where the file was written since it was opened (its size or time of modification
  // differs): a file copied over another one keeps the inode. Ask just before loading.
  void check_unchanged() const;

  // "is cut short: ...", or an empty string: what the system's loader would trip over.
  std::string missing_part() const;

  // "/proc/PID/fd/N" of the descriptor, for the loader; a debugger can open it as well. The loader
  // takes its folder for $ORIGIN, so a plugin finds no libraries beside itself. Throws Refusal
  // where no such path leads to the file.
  std::string loader_path() const;

  // Gives up the descriptor without closing it: a loaded library keeps its own for good, so that
  // its loader path never names another file.
  int release() { return descriptor_.release(); }

 private:
  friend class PluginFolder;
  PluginFile() = default;
  // A file of a folder that was checked, by its resolved path.
  static PluginFile open_in(const Descriptor& folder, const std::filesystem::path& path);

  std::filesystem::path path_;
  Descriptor descriptor_;
  FileIdentity identity_;
};

// Whether the name leads to the file still, which nobody has written or given other rights since.
// Neither the file nor the folders above it are opened. [any thread]
bool is_as_it_was(const std::filesystem::path& file, const FileIdentity& identity);

// A folder of plugins that obeys the rules above and is absolute: a relative name would depend on
// the current folder. It is checked once, together with the folders that it lies in.
class PluginFolder {
 public:
  // Resolves links in the folder's path. Throws Refusal, of a folder without *.so as well. [any
  // thread]
  explicit PluginFolder(const std::filesystem::path& folder);

  // The plugin files (*.so), absolute, sorted by name.
  const std::vector<std::filesystem::path>& files() const { return files_; }

  // One of files(), as PluginFile::open() would. [any thread]
  PluginFile open(const std::filesystem::path& file) const;

  // open(file).identity(), without opening a file that is no link. [any thread]
  FileIdentity identity(const std::filesystem::path& file) const;

 private:
  void list();

  std::filesystem::path path_;
  Descriptor descriptor_;
  std::vector<std::filesystem::path> files_;
};

// A digest over texts, in order: of the plugins that a choice depends on.
std::string digest_of(std::span<const std::string> texts);

}  // namespace xpose
