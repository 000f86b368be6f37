#include "plugin/elf_file.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>
#include <vector>

namespace xpose {
namespace {

bool read_at(int descriptor, void* to, std::size_t bytes, std::uint64_t offset) {
  return ::pread(descriptor, to, bytes, static_cast<off_t>(offset)) == static_cast<ssize_t>(bytes);
}

// Where a segment's bytes end in the file.
std::uint64_t end_of(const ElfW(Phdr) & segment) {
  constexpr std::uint64_t kMost = std::numeric_limits<std::uint64_t>::max();
  const std::uint64_t offset = segment.p_offset;
  return segment.p_filesz > kMost - offset ? kMost : offset + segment.p_filesz;
}

}  // namespace

std::string missing_part(int descriptor) {
  ElfW(Ehdr) header{};
  if (!read_at(descriptor, &header, sizeof header, 0) ||
      std::memcmp(static_cast<const void*>(header.e_ident), ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)))
    return {};  // no ELF file of this machine: the loader says so itself
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  if (!read_at(descriptor, segments.data(), segments.size() * sizeof(ElfW(Phdr)), header.e_phoff))
    return {};
  std::uint64_t needed = 0;
  for (const auto& segment : segments)
    if (segment.p_type == PT_LOAD) needed = std::max(needed, end_of(segment));
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) return {};
  const auto there = static_cast<std::uint64_t>(status.st_size);
  if (there >= needed) return {};
  return "is cut short: it has " + std::to_string(there) + " bytes of at least " +
         std::to_string(needed) + "; build or copy it again";
}

}  // namespace xpose
