#include "plugin/plugin_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <fstream>
#include <string_view>
#include <system_error>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "plugin/elf_file.hpp"
#include "process/folder.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t kMaxFileBytes = 256 << 20;

// Nothing against the file where there is no memory to read it, or no descriptor.
Refusal unreadable(int error) {
  if (error == ENOMEM) throw std::bad_alloc();
  if (lacks_descriptor(error))
    throw Error(
        ErrorKind::failed,
        "no file can be read: " + std::generic_category().message(error) + "; " + kMoreDescriptors);
  return {"cannot be read: " + std::generic_category().message(error)};
}

struct stat status_of(int descriptor) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) throw unreadable(errno);
  return status;
}

// Of the file itself, also where it is a link.
struct stat status_in(const Descriptor& folder, const fs::path& file) {
  struct stat status {};
  if (::fstatat(folder.get(), file.filename().c_str(), &status, AT_SYMLINK_NOFOLLOW) != 0)
    throw unreadable(errno);
  return status;
}

bool is_link(const struct stat& status) { return S_ISLNK(status.st_mode); }

fs::path resolved(const fs::path& path) {
  std::error_code error;
  fs::path target = fs::canonical(path, error);
  if (error) throw unreadable(error.value());
  return target;
}

// A path as a shell takes it, on one line whatever it contains.
std::string shell_word(const fs::path& path) {
  std::string text = path.string();
  const auto is_plain = [](unsigned char c) {
    return c >= 0x80 || std::isalnum(c) != 0 ||
           std::string_view("/._-+,:@%").find(char(c)) != std::string_view::npos;
  };
  if (!text.empty() && std::ranges::all_of(text, is_plain)) return text;
  std::string word = "$'";
  for (const unsigned char c : text) {
    if (c < ' ' || c == 0x7f)
      word += {'\\', char('0' + c / 64), char('0' + c / 8 % 8), char('0' + c % 8)};
    else
      word += c == '\'' || c == '\\' ? std::string{'\\', char(c)} : std::string{char(c)};
  }
  return word + '\'';
}

// Whether that number stands for all users who have none in this namespace, as root in most that
// are made without rights. See user_namespaces(7).
bool is_outside_namespace(uid_t user) {
  static const uid_t overflow = [] {
    uid_t number = 0;
    std::ifstream("/proc/sys/kernel/overflowuid") >> number;
    return number;
  }();
  if (user != overflow) return false;
  std::ifstream map("/proc/self/uid_map");
  if (!map) return false;
  for (std::uint64_t first = 0, outside = 0, count = 0; map >> first >> outside >> count;)
    if (user >= first && user - first < count) return false;
  return true;
}

// The others than root and the user who can change a file or folder, and the remedy; empty: none.
// `above`: a folder that plugin folders lie in.
std::string weakness(const struct stat& status, const fs::path& path, bool above) {
  const uid_t user = ::geteuid();
  if (status.st_uid != 0 && is_outside_namespace(status.st_uid))
    return "belongs to a user outside this user namespace, who cannot be told apart from others; "
           "map that user, root perhaps, into it";
  if (status.st_uid != 0 && status.st_uid != user)
    return "belongs to user " + std::to_string(status.st_uid) +
           ", neither root nor you; if you trust its content, run as root: chown " +
           std::to_string(user) + ' ' + shell_word(path);
  const bool private_group = status.st_gid == ::getegid() && status.st_gid == user;
  const bool others = (status.st_mode & S_IWOTH) != 0;
  if (!others && ((status.st_mode & S_IWGRP) == 0 || private_group)) return {};
  if (S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0)
    return above ? "" : "is shared with other users; move the plugins into a folder of their own";
  return "can be written by " + (others ? "anyone" : "group " + std::to_string(status.st_gid)) +
         "; run: chmod go-w " + shell_word(path);
}

// The folder, checked together with all above it. Each is opened from the one before, so that none
// can be exchanged after it was checked. `subject` is what the refusal is about: the folder itself,
// or a file in it.
Descriptor open_folder(const fs::path& folder, const fs::path& subject) {
  Descriptor at(AT_FDCWD);
  fs::path path;
  for (const fs::path& name : folder) {
    path /= name;
    at =
        Descriptor(::openat(at.get(), name.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    if (at.get() < 0) throw unreadable(errno);
    const std::string problem = weakness(status_of(at.get()), path, path != folder);
    if (problem.empty()) continue;
    throw Refusal{path == subject ? problem : "lies in " + shell_word(path) + ", which " + problem};
  }
  return at;
}

// Of a folder with other entries alone, or none. A build has its plugins further down.
Refusal without_plugin(const fs::path& folder, std::size_t others) {
  std::string why =
      others == 0 ? "is empty"
                  : "has no plugin: " + (others == 1 ? "its only entry does not end in .so"
                                                     : "none of its " + std::to_string(others) +
                                                           " entries ends in .so");
  why += "; name the folder that the build of a plugin writes to";
  for (const char* below : {"lib/xpose/plugins", "build/lib/xpose/plugins"}) {
    std::error_code error;
    if (fs::is_directory(folder / below, error)) return {why + ": " + shell_word(folder / below)};
  }
  return {why};
}

std::int64_t nanoseconds(const timespec& time) {
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Throws Refusal for what may not be loaded.
FileIdentity checked(const struct stat& status, const fs::path& path) {
  if (!S_ISREG(status.st_mode)) throw Refusal{"is not a regular file"};
  if (const std::string problem = weakness(status, path, false); !problem.empty())
    throw Refusal{problem};
  return {path.string(),
          status.st_dev,
          status.st_ino,
          static_cast<std::uint64_t>(status.st_size),
          nanoseconds(status.st_mtim),
          nanoseconds(status.st_ctim)};
}

std::string hexadecimal(const XXH3_state_t& state) {
  XXH128_canonical_t bytes;
  XXH128_canonicalFromHash(&bytes, XXH3_128bits_digest(&state));
  std::string text;
  for (const unsigned char byte : bytes.digest)
    for (const int digit : {byte / 16, byte % 16}) text += "0123456789abcdef"[digit];
  return text;
}

Refusal too_large() {
  return {"has more than " + std::to_string(kMaxFileBytes >> 20) +
          " MiB, the most that a plugin may have; strip --strip-debug takes its debug information "
          "out"};
}

}  // namespace

PluginFile PluginFile::open(const fs::path& file) {
  const fs::path path = resolved(file);
  return open_in(open_folder(path.parent_path(), path), path);
}

PluginFile PluginFile::open_in(const Descriptor& folder, const fs::path& path) {
  PluginFile opened;
  opened.path_ = path;
  // Without O_NONBLOCK, opening a named pipe waits for somebody to write into it.
  opened.descriptor_ = Descriptor(::openat(folder.get(), path.filename().c_str(),
                                           O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (opened.descriptor() < 0) throw unreadable(errno);
  opened.identity_ = checked(status_of(opened.descriptor()), path);
  return opened;
}

std::string PluginFile::foreign() const { return xpose::foreign(descriptor()); }

std::string PluginFile::digest() const {
  if (identity_.bytes > kMaxFileBytes) throw too_large();
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  // Read, not mapped: a mapped file that somebody cuts short ends the process.
  std::vector<char> chunk(128U << 10);
  off_t at = 0;
  for (;;) {
    const ssize_t got = ::pread(descriptor(), chunk.data(), chunk.size(), at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) throw unreadable(errno);
    if (got == 0) break;
    XXH3_128bits_update(&state, chunk.data(), static_cast<std::size_t>(got));
    at += got;
    if (static_cast<std::uint64_t>(at) > kMaxFileBytes)
      throw too_large();  // of no size, as in /proc
  }
  check_unchanged();
  return hexadecimal(state);
}

void PluginFile::check_unchanged() const {
  // Not the inode's time of change: that moves when the file is renamed or replaced as well.
  const struct stat status = status_of(descriptor());
  if (static_cast<std::uint64_t>(status.st_size) != identity_.bytes ||
      nanoseconds(status.st_mtim) != identity_.modified)
    throw Refusal{"was written while it was in use; try again when it is complete"};
}

std::string PluginFile::missing_part() const { return xpose::missing_part(descriptor()); }

// By the number first, since /proc/self of a debugger is another one. In a namespace of processes
// that has the /proc of another, the number is that of a stranger.
std::string PluginFile::loader_path() const {
  for (const std::string& process : {std::to_string(::getpid()), std::string("self")}) {
    std::string path = "/proc/" + process + "/fd/" + std::to_string(descriptor());
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0 && status.st_dev == identity_.device &&
        status.st_ino == identity_.inode)
      return path;
  }
  throw Refusal{
      "cannot be loaded, because /proc does not show this process; run as root: "
      "mount -t proc proc /proc"};
}

bool is_as_it_was(const fs::path& file, const FileIdentity& identity) try {
  struct stat status {};
  return ::stat(file.c_str(), &status) == 0 && checked(status, identity.path) == identity;
} catch (const Refusal&) {
  return false;
}

PluginFolder::PluginFolder(const fs::path& folder) : descriptor_(-1) {
  const std::string name = "plugin folder " + shell_word(folder) + ' ';
  if (!folder.is_absolute())
    throw Refusal{name +
                  "depends on the current folder, which is never searched; "
                  "name it by its absolute path"};
  try {
    path_ = resolved(folder);
    descriptor_ = open_folder(path_, path_);  // from here on nobody else can exchange it
    list();
  } catch (const Refusal& refusal) {
    throw Refusal{name + refusal.why};
  }
}

void PluginFolder::list() {
  std::error_code error;
  const std::vector<fs::path> names = names_in(path_, error);
  if (error) throw unreadable(error.value());
  for (const fs::path& name : names)
    if (name.extension() == ".so") files_.push_back(path_ / name);
  if (files_.empty()) throw without_plugin(path_, names.size());
}

PluginFile PluginFolder::open(const fs::path& file) const {
  return is_link(status_in(descriptor_, file)) ? PluginFile::open(file)
                                               : PluginFile::open_in(descriptor_, file);
}

FileIdentity PluginFolder::identity(const fs::path& file) const {
  const struct stat status = status_in(descriptor_, file);
  if (is_link(status)) return PluginFile::open(file).identity();
  FileIdentity identity = checked(status, file);
  if (::faccessat(descriptor_.get(), file.filename().c_str(), R_OK, AT_EACCESS) != 0)
    throw unreadable(errno);
  return identity;
}

std::string digest_of(std::span<const std::string> texts) {
  XXH3_state_t state;
  XXH3_128bits_reset(&state);
  for (const std::string& text : texts) {
    const std::string piece = std::to_string(text.size()) + ':' + text;  // says where each ends
    XXH3_128bits_update(&state, piece.data(), piece.size());
  }
  return hexadecimal(state);
}

}  // namespace xpose
