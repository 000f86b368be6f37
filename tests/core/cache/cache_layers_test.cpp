#include "cache/cache_layers.hpp"

#include <sqlite3.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include "cache/cache_rows.hpp"
#include "layers_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// ---------------------------------------------------------------------------------------- system

TEST_F(CacheLayersTest, SystemFileAnswersWhatTheUsersDoesNotKnow) {
  const fs::path system = folder / "system.sqlite";
  merge_into_cache(system, {{decision_of("p", 1), decision_of("q", 1)},
                            {{"d", "s", "libidea.so", Verdict::crashed, "system", 1}}});
  const std::string before = bytes_of(system);
  {
    Cache cache(file, system, listener());
    cache.store(decision_of("p", 2));
    EXPECT_EQ(cache.find(key_of("p"))->when, 2);
    EXPECT_EQ(cache.find(key_of("q"))->when, 1);
    EXPECT_EQ(cache.find(key_of("r")), std::nullopt);
    EXPECT_EQ(cache.find_quarantine("d", "s")->words, "system");
    cache.store(Quarantine{"d", "s", "libidea.so", Verdict::crashed, "user", 1});
    EXPECT_EQ(cache.find_quarantine("d", "s")->words, "user");
  }
  EXPECT_EQ(bytes_of(system), before);
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(CacheLayersTest, MissingSystemFileIsSilent) {
  Cache cache(file, folder / "none.sqlite", listener());
  EXPECT_EQ(cache.find(key_of("p")), std::nullopt);
  EXPECT_EQ(warnings, std::vector<std::string>());
  EXPECT_FALSE(fs::exists(folder / "none.sqlite"));
}

TEST_F(CacheLayersTest, DamagedSystemFileIsToldOnceAndStays) {
  const fs::path system = folder / "system.sqlite";
  write_bytes(system, std::string(5000, 'x'));
  Cache cache(file, system, listener());
  for (int time = 0; time < 3; ++time) EXPECT_EQ(cache.find(key_of("p")), std::nullopt);
  expect_one_warning(system.string());
  EXPECT_EQ(bytes_of(system), std::string(5000, 'x'));
  EXPECT_EQ(cache.file(), file);
}

// ------------------------------------------------------------------------------- memory and disk

TEST_F(CacheLayersTest, NoFilesAskedForIsSilent) {
  Cache cache("", "", listener());
  EXPECT_TRUE(remembers(cache));
  EXPECT_EQ(cache.file(), "");
  EXPECT_EQ(warnings, std::vector<std::string>());
}

TEST_F(CacheLayersTest, NoHomeIsMemory) {
  Cache cache("", folder / "none.sqlite", listener());
  EXPECT_TRUE(remembers(cache));
  expect_one_warning("set HOME");
}

TEST_F(CacheLayersTest, FolderInPlaceOfTheFileIsMemory) {
  fs::create_directory(file);
  Cache cache(file, "", listener());
  EXPECT_TRUE(remembers(cache));
  EXPECT_EQ(cache.file(), "");
  expect_one_warning(file.string() +
                     ": it is a folder; name another file with --cache or in XPOSE_CACHE");
  EXPECT_TRUE(fs::is_directory(file));
  EXPECT_FALSE(fs::exists(file.string() + "-lock"));
}

// Issue: a pipe in place of the lock was waited for without an end.
TEST_F(CacheLayersTest, PipeInPlaceOfTheLockIsMemory) {
  ASSERT_EQ(mkfifo((file.string() + "-lock").c_str(), 0600), 0);
  Cache cache(file, "", listener());
  EXPECT_TRUE(remembers(cache));
  EXPECT_EQ(cache.file(), "");
  expect_one_warning(file.string() +
                     "-lock is no plain file, and cannot be its lock; name another");
}

// Issue: a cache in /dev/null was told to be moved aside, and left a lock file in /dev.
TEST_F(CacheLayersTest, DeviceOrPipeInPlaceOfTheFileIsMemory) {
  const auto expect_refused = [&](const fs::path& name) {
    warnings.clear();
    {
      Cache cache(name, "", listener());
      EXPECT_TRUE(remembers(cache));
      EXPECT_EQ(cache.file(), "");
    }
    expect_one_warning(
        "it is a device, a pipe or a socket, and no file; name another file with --cache");
    EXPECT_FALSE(fs::exists(name.string() + "-lock"));
    EXPECT_TRUE(fs::is_character_file(name) || fs::is_fifo(name));
  };
  ASSERT_EQ(mkfifo(file.c_str(), 0600), 0);
  expect_refused(file);
  fs::create_symlink("/dev/null", folder / "null");
  expect_refused(folder / "null");
}

TEST_F(CacheLayersTest, FileInPlaceOfTheFolderIsMemory) {
  write_bytes(folder / "plain", "");
  Cache cache(folder / "plain/a/trials.sqlite", "", listener());
  EXPECT_TRUE(remembers(cache));
  expect_one_warning("Not a directory");
}

TEST_F(CacheLayersTest, FolderThatMayNotBeCreatedIsMemory) {
  fs::permissions(folder, fs::perms(0555));
  EXPECT_EQ(as_ordinary_user([&] {
              Cache cache(folder / "a/b/trials.sqlite", "", listener());
              return remembers(cache) && warnings.size() == 1;
            }),
            0);
  fs::permissions(folder, fs::perms(0755));
}

TEST_F(CacheLayersTest, FileThatMayNotBeWrittenIsReadUnderMemory) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  fs::permissions(file, fs::perms(0444));
  fs::permissions(folder, fs::perms(0555));
  EXPECT_EQ(as_ordinary_user([&] {
              Cache cache(file, "", listener());
              return cache.find(key_of("p")) && remembers(cache) && cache.file().empty() &&
                     warnings.size() == 1;
            }),
            0);
  fs::permissions(folder, fs::perms(0755));
  EXPECT_EQ(read_cache(file).decisions.size(), 1U);
}

TEST_F(CacheLayersTest, FullDiskIsMemoryAndTheFileIsStillRead) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  EXPECT_EQ(end_of(start_child([&] {
              Cache cache(file, "", listener());
              const rlimit limit{100000, 100000};  // bytes that a file may have
              signal(SIGXFSZ, SIG_IGN);
              if (setrlimit(RLIMIT_FSIZE, &limit) != 0) return false;
              for (int count = 0; count < 100; ++count)
                cache.store(decision_of("n" + std::to_string(count)));
              return cache.find(key_of("p")) && cache.find(key_of("n0")) &&
                     cache.find(key_of("n99")) && remembers(cache) && cache.file().empty() &&
                     warnings.size() == 1;
            })),
            0);
}

TEST_F(CacheLayersTest, RefusedWriteAheadLogIsToldAndWorks) {
  sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
  ASSERT_EQ(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1), SQLITE_OK);
  {
    Cache cache(file, "", listener());
    EXPECT_TRUE(remembers(cache));
    EXPECT_EQ(cache.file(), file);
  }
  sqlite3_vfs_register(usual, 1);
  expect_one_warning("no write-ahead log");
  EXPECT_EQ(read_cache(file).decisions.size(), 2U);
}

TEST_F(CacheLayersTest, ListenerMayAskTheCacheAndMayThrow) {
  fs::create_directory(file);
  Cache* asked = nullptr;
  int told = 0;
  Cache cache(folder / "trials2.sqlite", file, [&](std::string_view) {
    ++told;
    EXPECT_EQ(asked->find(key_of("p")), std::nullopt);
    throw std::runtime_error("no");
  });
  asked = &cache;
  EXPECT_EQ(cache.find(key_of("p")), std::nullopt);
  EXPECT_EQ(told, 1);
}

// ------------------------------------------------------------------------------------ schema

TEST_F(CacheLayersTest, NewerSchemaIsLeftAloneForMemory) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  open_cache_file(file).database.change("PRAGMA user_version = 99");
  const std::string before = bytes_of(file);
  {
    Cache cache(file, "", listener());
    EXPECT_EQ(cache.find(key_of("p")), std::nullopt);
    EXPECT_TRUE(remembers(cache));
  }
  expect_one_warning("update xpose");
  EXPECT_EQ(bytes_of(file), before);
}

TEST_F(CacheLayersTest, OtherProgramsFileIsLeftAloneForMemory) {
  write_bytes(file, "");
  Database(file, Database::Access::read_write).change("PRAGMA application_id = 77");
  const std::string before = bytes_of(file);
  {
    Cache cache(file, "", listener());
    EXPECT_TRUE(remembers(cache));
  }
  expect_one_warning("another program");
  EXPECT_EQ(bytes_of(file), before);
}

}  // namespace
}  // namespace xpose
