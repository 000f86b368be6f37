// A document given to `xpose cache import`: what is taken can be exported, and is taken the same
// again; all of it can be shown on a terminal.
#include <sstream>

#include "commands/cache_json.hpp"
#include "commands/cache_table.hpp"
#include "fuzz.hpp"

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace xpose;
  using fuzz::require;
  constexpr std::int64_t kNow = 1'800'000'000;
  CacheContents contents;
  try {
    contents = app::cache_from_json(fuzz::text_of(data, size), kNow);
  } catch (const Error& error) {
    require(error.kind() == ErrorKind::failed, "a refusal is of the kind failed");
    fuzz::require_sentence(error.what());
    return 0;
  }
  const std::string exported = app::to_json(contents).dump();
  require(app::cache_from_json(exported, kNow) == contents, "import takes what export wrote");

  std::ostringstream shown;
  app::print_cache(shown, contents, {});
  for (const char c : shown.str())
    require(c == '\n' || (c >= ' ' && c <= '~'), "a table cannot steer the terminal");
  return 0;
}
