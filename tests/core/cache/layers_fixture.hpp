#pragma once

#include <unistd.h>

#include "cache_fixture.hpp"

namespace xpose {

// Through Cache: what its user sees of layers that fail.
class CacheLayersTest : public CacheFixture {
 protected:
  // Whether the cache remembers while it lives, whatever became of the file.
  static bool remembers(Cache& cache) {
    for (const char* problem : {"x", "y"}) cache.store(decision_of(problem));
    cache.store(Quarantine{"d", "s", "libidea.so", Verdict::crashed, "", 1});
    return cache.find(key_of("x")) && cache.find(key_of("y")) && cache.find_quarantine("d", "s");
  }
  // One warning that says this, and no other.
  void expect_one_warning(const std::string& text) {
    ASSERT_EQ(warnings.size(), 1U) << testing::PrintToString(warnings);
    EXPECT_NE(warnings[0].find(text), std::string::npos) << warnings[0];
  }
  // In a process without the powers of root, for whom every file is writable.
  int as_ordinary_user(const std::function<bool()>& body) {
    return end_of(start_child([&] { return (geteuid() != 0 || setuid(65534) == 0) && body(); }));
  }
  std::filesystem::path aside(int number) const {
    return file.string() + ".corrupt-" + std::to_string(number);
  }
  // Overwrites the inside of every page but the first, where the schema stands.
  void damage_pages() {
    std::string bytes = bytes_of(file);
    for (std::size_t page = 4096; page < bytes.size(); page += 4096)
      bytes.replace(page, 4096, std::string(4096, '\x5a'));
    write_bytes(file, bytes);
  }
};

}  // namespace xpose
