#include "plugin/elf_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <string>

namespace xpose {
namespace {

// What missing_part says of a file with the content.
std::string missing_part_of(const std::string& content) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return "no temporary file";
  EXPECT_EQ(std::fwrite(content.data(), 1, content.size(), file), content.size());
  std::fflush(file);
  std::string missing = missing_part(fileno(file));
  std::fclose(file);
  return missing;
}

std::string library(std::uint64_t offset, std::uint64_t filesz, std::size_t bytes) {
  ElfW(Ehdr) header{};
  std::memcpy(static_cast<void*>(header.e_ident), ELFMAG, SELFMAG);
  header.e_phentsize = sizeof(ElfW(Phdr));
  header.e_phnum = 2;
  header.e_phoff = sizeof header;
  ElfW(Phdr) segments[2] = {};
  segments[0].p_type = PT_LOAD;
  segments[0].p_offset = offset;
  segments[0].p_filesz = filesz;
  segments[1].p_type = PT_NOTE;  // not mapped
  segments[1].p_offset = 1U << 30;
  std::string content(reinterpret_cast<const char*>(&header), sizeof header);
  content.append(reinterpret_cast<const char*>(segments), sizeof segments);
  content.resize(bytes);
  return content;
}

TEST(MissingPart, IsNothingWhereEverySegmentIsThere) {
  EXPECT_EQ(missing_part_of(library(1000, 3096, 4096)), "");
}

TEST(MissingPart, IsSaidWhereOneByteIsMissing) {
  EXPECT_EQ(missing_part_of(library(1000, 3096, 4095)),
            "is cut short: it has 4095 bytes of at least 4096; build or copy it again");
}

TEST(MissingPart, SumsThatOverflowAreNotTakenForSmall) {
  EXPECT_EQ(missing_part_of(library(~std::uint64_t{0}, 2, 4096)),
            "is cut short: it has 4096 bytes of at least 18446744073709551615; "
            "build or copy it again");
}

// The loader refuses these without touching a missing page.
TEST(MissingPart, IsLeftToTheLoaderWhereTheHeadersAreNotWhole) {
  EXPECT_EQ(missing_part_of(""), "");
  EXPECT_EQ(missing_part_of("no library\n"), "");
  EXPECT_EQ(missing_part_of(library(0, 4096, sizeof(ElfW(Ehdr)) - 1)), "");
  EXPECT_EQ(missing_part_of(library(0, 4096, sizeof(ElfW(Ehdr)) + 2 * sizeof(ElfW(Phdr)) - 1)), "");
  std::string other_machine = library(0, 4096, 200);
  other_machine[offsetof(ElfW(Ehdr), e_phentsize)] = 1;
  EXPECT_EQ(missing_part_of(other_machine), "");
}

// The position of a descriptor that another process shares stays where it was.
TEST(MissingPart, DoesNotMoveTheDescriptor) {
  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  const std::string content = library(0, 4096, 4096);
  ASSERT_EQ(write(fileno(file), content.data(), content.size()), 4096);
  ASSERT_EQ(lseek(fileno(file), 17, SEEK_SET), 17);
  EXPECT_EQ(missing_part(fileno(file)), "");
  EXPECT_EQ(lseek(fileno(file), 0, SEEK_CUR), 17);
  std::fclose(file);
}

}  // namespace
}  // namespace xpose
