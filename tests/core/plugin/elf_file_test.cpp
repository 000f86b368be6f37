#include "plugin/elf_file.hpp"

#include <elf.h>
#include <gtest/gtest.h>
#include <link.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <fstream>
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

// What foreign says of a file with the content.
std::string foreign_of(const std::string& content) {
  std::FILE* file = std::tmpfile();
  if (file == nullptr) return "no temporary file";
  EXPECT_EQ(std::fwrite(content.data(), 1, content.size(), file), content.size());
  std::fflush(file);
  std::string words = foreign(fileno(file));
  std::fclose(file);
  return words;
}

// The headers of this program, which is of this machine, as a shared library's.
std::string own_header() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  std::string header(sizeof(ElfW(Ehdr)), '\0');
  file.read(header.data(), static_cast<std::streamsize>(header.size()));
  const ElfW(Half) type = ET_DYN;
  std::memcpy(&header[offsetof(ElfW(Ehdr), e_type)], &type, sizeof type);
  return header;
}

std::string of_machine(std::string header, ElfW(Half) machine) {
  std::memcpy(&header[offsetof(ElfW(Ehdr), e_machine)], &machine, sizeof machine);
  return header;
}

TEST(Foreign, IsNothingThatIsALibraryOfThisMachine) { EXPECT_EQ(foreign_of(own_header()), ""); }

TEST(Foreign, NamesTheMachineThatItWasBuiltFor) {
#if defined(__x86_64__)
  EXPECT_EQ(foreign_of(of_machine(own_header(), EM_AARCH64)),
            "was built for aarch64, this machine is x86-64; build it here");
  EXPECT_EQ(foreign_of(of_machine(own_header(), 999)),
            "was built for ELF machine 999, this machine is x86-64; build it here");
#else
  EXPECT_TRUE(foreign_of(of_machine(own_header(), EM_X86_64)).starts_with("was built for x86-64"));
#endif
  // Of the other order of bytes.
  std::string sparc = own_header();
  sparc[EI_DATA] = ELFDATA2MSB;
  sparc[offsetof(ElfW(Ehdr), e_machine)] = 0;
  sparc[offsetof(ElfW(Ehdr), e_machine) + 1] = EM_S390;
  EXPECT_TRUE(foreign_of(sparc).starts_with("was built for s390x")) << foreign_of(sparc);
}

TEST(Foreign, SaysWhatIsNoLibrary) {
  EXPECT_TRUE(foreign_of("").starts_with("is no shared library: it has no ELF header"));
  EXPECT_TRUE(foreign_of("INPUT(libother.so)\n").starts_with("is no shared library: it has no"));
  EXPECT_TRUE(foreign_of(own_header().substr(0, 19)).starts_with("is no shared library"));
  std::string other_class = own_header();
  other_class[EI_CLASS] = sizeof(void*) == 8 ? ELFCLASS32 : ELFCLASS64;
  EXPECT_TRUE(foreign_of(other_class).starts_with("was built for another width of addresses"));
  std::string object = own_header();
  object[offsetof(ElfW(Ehdr), e_type)] = ET_REL;
  EXPECT_TRUE(foreign_of(object).starts_with("is no shared library, but an object file"));
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
