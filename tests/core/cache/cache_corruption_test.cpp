// Files that are no database, cut, or damaged inside.
#include "cache/cache_layers.hpp"
#include "cache/cache_rows.hpp"
#include "layers_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// Of a file that is no database but by its first bytes.
std::string damaged() { return "SQLite format 3" + std::string(1, '\0') + std::string(5000, 'x'); }

TEST_F(CacheLayersTest, FileNamedByMistakeIsLeftAlone) {
  for (const std::string& text : {std::string("what is dear to me"), std::string(5000, 'x')}) {
    write_bytes(file, text);
    warnings.clear();
    {
      Cache cache(file, "", listener());
      EXPECT_TRUE(remembers(cache));
      EXPECT_EQ(cache.file(), "");
    }
    expect_one_warning(file.string() +
                       ": it is no database; name another file with --cache or in XPOSE_CACHE");
    EXPECT_EQ(bytes_of(file), text);
    EXPECT_FALSE(fs::exists(aside(1)));
    EXPECT_THROW(read_cache(file), Error);
    EXPECT_EQ(bytes_of(file), text);
  }
}

TEST_F(CacheLayersTest, FileOfZerosIsMovedAside) {
  write_bytes(file, std::string(5000, '\0'));
  EXPECT_EQ(Cache(file, "", listener()).file(), file);
  expect_one_warning(aside(1).string());
}

TEST_F(CacheLayersTest, FileThatIsNoDatabaseIsMovedAside) {
  write_bytes(file, damaged());
  {
    Cache cache(file, "", listener());
    EXPECT_TRUE(remembers(cache));
    EXPECT_EQ(cache.file(), file);
  }
  expect_one_warning(aside(1).string());
  EXPECT_EQ(bytes_of(aside(1)), damaged());
  EXPECT_EQ(read_cache(file).decisions.size(), 2U);
  Cache again(file, "", listener());
  EXPECT_EQ(warnings.size(), 1U);
}

TEST_F(CacheLayersTest, CutFileAndMissingTableAreMovedAside) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  fs::resize_file(file, 4096);
  EXPECT_EQ(Cache(file, "", listener()).file(), file);
  open_cache_file(file).database.change("DROP TABLE quarantine");
  Cache cache(file, "", listener());
  cache.store(Quarantine{"d", "s", "libidea.so", Verdict::crashed, "", 1});
  EXPECT_TRUE(cache.find_quarantine("d", "s"));
  EXPECT_EQ(cache.file(), file);
  EXPECT_EQ(warnings.size(), 2U);
  EXPECT_TRUE(fs::exists(aside(2)));
}

TEST_F(CacheLayersTest, DamageFoundWhileReadingIsAMissAndANewFile) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  damage_pages();
  Cache cache(file, "", listener());
  EXPECT_EQ(warnings, std::vector<std::string>());  // not seen yet
  EXPECT_EQ(cache.find(key_of("p")), std::nullopt);
  expect_one_warning(aside(1).string());
  EXPECT_TRUE(remembers(cache));
  EXPECT_EQ(read_cache(file).decisions.size(), 2U);
}

TEST_F(CacheLayersTest, DamageFoundWhileWritingLosesNothingNew) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  damage_pages();
  Cache cache(file, "", listener());
  cache.store(decision_of("q"));
  expect_one_warning(aside(1).string());
  EXPECT_EQ(read_cache(file), (CacheContents{{decision_of("q")}, {}}));
}

TEST_F(CacheLayersTest, CorruptFileThatOthersUseIsMemory) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  const CacheFile other = open_cache_file(file);
  damage_pages();
  Cache cache(file, "", listener());
  EXPECT_EQ(cache.find(key_of("p")), std::nullopt);
  EXPECT_TRUE(remembers(cache));
  expect_one_warning("while another process uses it");
  EXPECT_FALSE(fs::exists(aside(1)));
}

TEST_F(CacheLayersTest, SixteenProcessesMoveACorruptFileOnceAndLoseNoRow) {
  for (int number = 1; number <= 3; ++number) {
    // What two that closed at once left of their log would bring the file back to life.
    for (const char* log : {"-wal", "-shm"}) fs::remove(file.string() + log);
    write_bytes(file, damaged());
    ASSERT_TRUE(run_at_once(16, [&](int index) {
      Cache cache(file, "", listener());
      cache.store(decision_of(std::to_string(index)));
      for (const std::string& warning : warnings)
        if (warning.find(aside(number).string()) == std::string::npos) return false;
      return cache.file() == file;
    }));
    EXPECT_EQ(bytes_of(aside(number)), damaged());
    EXPECT_FALSE(fs::exists(aside(number + 1)));
    EXPECT_EQ(read_cache(file).decisions.size(), 16U);
  }
}

}  // namespace
}  // namespace xpose
