#include "plugin/elf_file.hpp"

#include <elf.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
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

#if defined(__x86_64__)
constexpr unsigned kOwnMachine = EM_X86_64;
#elif defined(__aarch64__)
constexpr unsigned kOwnMachine = EM_AARCH64;
#elif defined(__powerpc64__)
constexpr unsigned kOwnMachine = EM_PPC64;
#elif defined(__riscv)
constexpr unsigned kOwnMachine = EM_RISCV;
#else
#error "name this machine as elf.h does"
#endif
constexpr unsigned char kOwnClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
constexpr unsigned char kOwnOrder =
    std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;

std::string machine_name(unsigned machine) {
  switch (machine) {
    case EM_386:
      return "i386";
    case EM_X86_64:
      return "x86-64";
    case EM_ARM:
      return "arm";
    case EM_AARCH64:
      return "aarch64";
    case EM_PPC64:
      return "ppc64";
    case EM_RISCV:
      return "riscv";
    case EM_S390:
      return "s390x";
    default:
      return "ELF machine " + std::to_string(machine);
  }
}

}  // namespace

std::string foreign(int descriptor) {
  // The same in both classes up to here, but for the order of bytes.
  std::array<unsigned char, EI_NIDENT + 4> header{};
  if (!read_at(descriptor, header.data(), header.size(), 0) ||
      std::memcmp(header.data(), ELFMAG, SELFMAG) != 0)
    return "is no shared library: it has no ELF header; build it with xpose_add_plugin()";
  const bool big_endian = header[EI_DATA] == ELFDATA2MSB;
  const auto half = [&](std::size_t at) {
    return big_endian ? header.at(at) << 8U | header.at(at + 1)
                      : header.at(at + 1) << 8U | header.at(at);
  };
  const auto type = static_cast<unsigned>(half(EI_NIDENT)),
             machine = static_cast<unsigned>(half(EI_NIDENT + 2));
  if (machine != kOwnMachine)
    return "was built for " + machine_name(machine) + ", this machine is " +
           machine_name(kOwnMachine) + "; build it here";
  if (header[EI_CLASS] != kOwnClass || header[EI_DATA] != kOwnOrder)
    return "was built for another width of addresses or order of bytes than this program; build it "
           "with the same options";
  if (type != ET_DYN)
    return "is no shared library, but an object file, a program or a core file; build it with "
           "xpose_add_plugin()";
  return {};
}

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
