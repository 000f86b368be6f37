#include "simulation/source_lines.hpp"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <link.h>

#include <cstdint>
#include <cstdlib>

#include "process/runtime_library.hpp"
#include "process/steps.hpp"

namespace xpose {
namespace {

#define XPOSE_FUNCTIONS(X)        \
  X(dwfl_begin)                   \
  X(dwfl_end)                     \
  X(dwfl_offline_section_address) \
  X(dwfl_report_begin)            \
  X(dwfl_report_elf)              \
  X(dwfl_report_end)              \
  X(dwfl_addrmodule)              \
  X(dwfl_module_addrdie)          \
  X(dwfl_module_getsrc)           \
  X(dwfl_lineinfo)                \
  X(dwarf_attr)                   \
  X(dwarf_attr_integrate)         \
  X(dwarf_filesrc)                \
  X(dwarf_formflag)               \
  X(dwarf_formudata)              \
  X(dwarf_getscopes)              \
  X(dwarf_getsrcfiles)            \
  X(dwarf_tag)
XPOSE_FUNCTIONS_OF_LIBRARY(Libdw, XPOSE_FUNCTIONS);
#undef XPOSE_FUNCTIONS

// Not linked, since with the four libraries that it needs it would take every process a quarter of
// a millisecond to start. Throws Denial where it is not found.
const Libdw& libdw() {
  static const RuntimeLibrary library("elfutils' libdw", {"libdw.so.1"},
                                      "install the package libdw1");
  static const Libdw functions(library);
  return functions;
}

}  // namespace

struct SourceLines::Impl {
  Dwfl* session = nullptr;
  ~Impl() { libdw().dwfl_end(session); }
};

namespace {

// The plugin is reported with its file, so that none is to be found.
int find_no_file(Dwfl_Module*, void**, const char*, Dwarf_Addr, char**, Elf**) { return -1; }
int find_no_debuginfo(Dwfl_Module*, void**, const char*, Dwarf_Addr, const char*, const char*,
                      GElf_Word, char**) {
  return -1;
}

SourceLine line_of(Dwfl_Module* module, Dwarf_Addr address) {
  Dwfl_Line* const line = libdw().dwfl_module_getsrc(module, address);
  if (line == nullptr) return {};
  int number = 0;
  const char* const file = libdw().dwfl_lineinfo(line, nullptr, &number, nullptr, nullptr, nullptr);
  if (file == nullptr) return {};
  return {file, number};
}

// A number that an entry has, else 0.
Dwarf_Word number_of(Dwarf_Die* entry, unsigned name) {
  Dwarf_Attribute attribute;
  Dwarf_Word value = 0;
  if (libdw().dwarf_formudata(libdw().dwarf_attr(entry, name, &attribute), &value) != 0) return 0;
  return value;
}

bool is_artificial(Dwarf_Die* entry) {
  Dwarf_Attribute attribute;
  bool flag = false;
  return libdw().dwarf_formflag(libdw().dwarf_attr_integrate(entry, DW_AT_artificial, &attribute),
                                &flag) == 0 &&
         flag;
}

// Follows calls of artificial functions outwards, as debuggers do.
SourceLine through_artificial(Dwarf_Die* unit, Dwarf_Addr address, SourceLine line) {
  Dwarf_Die* scopes = nullptr;
  const int count = libdw().dwarf_getscopes(unit, address, &scopes);
  for (int i = 0; i < count; ++i) {
    Dwarf_Die* const scope = &scopes[i];
    if (libdw().dwarf_tag(scope) != DW_TAG_inlined_subroutine) continue;
    if (!is_artificial(scope)) break;
    Dwarf_Files* files = nullptr;
    std::size_t file_count = 0;
    const Dwarf_Word file = number_of(scope, DW_AT_call_file);
    if (libdw().dwarf_getsrcfiles(unit, &files, &file_count) != 0 || file >= file_count) break;
    if (const char* name = libdw().dwarf_filesrc(files, file, nullptr, nullptr))
      line = {name, static_cast<int>(number_of(scope, DW_AT_call_line))};
  }
  std::free(scopes);
  return line;
}

}  // namespace

SourceLines::SourceLines(const void* code, const std::filesystem::path& file) try {
  Dl_info info{};
  link_map* map = nullptr;
  if (dladdr1(code, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0 || map == nullptr)
    return;
  static const Dwfl_Callbacks callbacks = {.find_elf = find_no_file,
                                           .find_debuginfo = find_no_debuginfo,
                                           .section_address = libdw().dwfl_offline_section_address,
                                           .debuginfo_path = nullptr};
  auto impl = std::make_unique<Impl>();
  impl->session = libdw().dwfl_begin(&callbacks);
  if (impl->session == nullptr) return;
  libdw().dwfl_report_begin(impl->session);
  const Dwfl_Module* const module =
      libdw().dwfl_report_elf(impl->session, "plugin", file.c_str(), -1, map->l_addr, true);
  libdw().dwfl_report_end(impl->session, nullptr, nullptr);
  if (module != nullptr) impl_ = std::move(impl);
} catch (const Denial& denial) {
  throw Error(ErrorKind::failed, "source lines are unknown: " + denial.text);
}

SourceLines::~SourceLines() = default;

SourceLine SourceLines::before(const void* site) const {
  if (impl_ == nullptr || site == nullptr) return {};
  const Dwarf_Addr address = reinterpret_cast<std::uintptr_t>(site) - 1;
  Dwfl_Module* const module = libdw().dwfl_addrmodule(impl_->session, address);
  if (module == nullptr) return {};
  SourceLine line = line_of(module, address);
  Dwarf_Addr bias = 0;
  Dwarf_Die* const unit = libdw().dwfl_module_addrdie(module, address, &bias);
  if (unit == nullptr) return line;
  return through_artificial(unit, address - bias, std::move(line));
}

}  // namespace xpose
