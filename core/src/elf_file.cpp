#include "elf_file.hpp"

#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <vector>

namespace xpose {

std::string missing_part(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  ElfW(Ehdr) header{};
  in.read(reinterpret_cast<char*>(&header), sizeof header);
  if (!in || std::memcmp(static_cast<const void*>(header.e_ident), ELFMAG, SELFMAG) != 0 ||
      header.e_phentsize != sizeof(ElfW(Phdr)))
    return {};  // no ELF file of this machine: the loader says so itself
  std::vector<ElfW(Phdr)> segments(header.e_phnum);
  in.seekg(static_cast<std::streamoff>(header.e_phoff));
  in.read(reinterpret_cast<char*>(segments.data()),
          static_cast<std::streamsize>(segments.size() * sizeof(ElfW(Phdr))));
  if (!in) return {};
  std::uint64_t needed = 0;
  for (const auto& segment : segments)
    if (segment.p_type == PT_LOAD)
      needed = std::max<std::uint64_t>(needed, segment.p_offset + segment.p_filesz);
  const std::uint64_t there = std::filesystem::file_size(file);
  if (there >= needed) return {};
  return "is cut short: it has " + std::to_string(there) + " bytes of at least " +
         std::to_string(needed) + "; build or copy it again";
}

}  // namespace xpose
