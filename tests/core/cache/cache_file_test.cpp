#include "cache/cache_file.hpp"

#include <sys/stat.h>

#include <thread>

#include "cache/cache_rows.hpp"
#include "cache_fixture.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;
using Fault = DatabaseError::Fault;
using CacheFileTest = CacheFixture;

mode_t mode_of(const fs::path& file) {
  struct stat status {};
  return stat(file.c_str(), &status) == 0 ? status.st_mode & 0777 : 0;
}

TEST_F(CacheFileTest, FoldersAndFileAreForTheirOwnerAlone) {
  const fs::path deep = folder / "a/b/trials.sqlite";
  const mode_t usual = umask(0);
  CacheFile cache = open_cache_file(deep);
  replace_decision(cache.database, decision_of("p"));
  umask(usual);
  EXPECT_EQ(mode_of(folder / "a"), 0700U);
  EXPECT_EQ(mode_of(folder / "a/b"), 0700U);
  for (const char* ending : {"", "-lock", "-wal"})
    EXPECT_EQ(mode_of(deep.string() + ending), 0600U) << ending;
}

// Its reason, and not that the file in it is missing.
TEST_F(CacheFileTest, AFolderThatCannotBeMadeIsNamed) {
  try {
    open_cache_file("/sys/xpose/cache/trials.sqlite");  // where root makes no folder either
    FAIL() << "a folder in /sys";
  } catch (const DatabaseError& error) {
    EXPECT_EQ(error.fault(), Fault::unwritable);
    EXPECT_TRUE(std::string(error.what()).starts_with("its folder /sys/xpose cannot be made: "))
        << error.what();
  }
}

TEST_F(CacheFileTest, ModesThatTheUserChoseStay) {
  open_cache_file(file);
  fs::permissions(file, fs::perms(0640));
  open_cache_file(file);
  EXPECT_EQ(mode_of(file), 0640U);
}

TEST_F(CacheFileTest, LockIsSharedOrExclusive) {
  FileLock one(file), two(file);
  EXPECT_TRUE(one.try_lock(FileLock::Mode::shared));
  EXPECT_TRUE(two.try_lock(FileLock::Mode::shared));
  EXPECT_FALSE(two.try_lock(FileLock::Mode::exclusive));
  one = FileLock();
  EXPECT_TRUE(two.try_lock(FileLock::Mode::exclusive));
  EXPECT_FALSE(FileLock(file).try_lock(FileLock::Mode::shared));
}

TEST_F(CacheFileTest, OpeningWaitsForTheOneWhoMovesIt) {
  FileLock mover(file);
  ASSERT_TRUE(mover.try_lock(FileLock::Mode::exclusive));
  bool created = true;
  std::thread release([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    created = fs::exists(file);
    mover = FileLock();
  });
  open_cache_file(file);
  release.join();
  EXPECT_FALSE(created);
  EXPECT_TRUE(fs::exists(file));
}

// ------------------------------------------------------------------------------------ move_aside

TEST_F(CacheFileTest, MovesTheFileWithItsJournalToTheNextFreeNumber) {
  write_bytes(file, "new");
  write_bytes(file.string() + "-wal", "log");
  write_bytes(file.string() + ".corrupt-1", "old");
  EXPECT_EQ(move_aside(file, inode_of(file)), fs::path(file.string() + ".corrupt-2"));
  EXPECT_FALSE(fs::exists(file));
  EXPECT_FALSE(fs::exists(file.string() + "-wal"));
  EXPECT_EQ(bytes_of(file.string() + ".corrupt-1"), "old");
  EXPECT_EQ(bytes_of(file.string() + ".corrupt-2"), "new");
  EXPECT_EQ(bytes_of(file.string() + ".corrupt-2-wal"), "log");
}

TEST_F(CacheFileTest, DoesNotMoveWhatAnotherProcessHasBegunAnew) {
  write_bytes(file, "bad");
  const Inode bad = inode_of(file);
  fs::rename(file, folder / "elsewhere");
  write_bytes(file, "good");
  EXPECT_EQ(move_aside(file, bad), std::nullopt);
  EXPECT_EQ(bytes_of(file), "good");
}

TEST_F(CacheFileTest, DoesNotMoveWhatIsInUse) {
  const CacheFile user = open_cache_file(file);
  try {
    move_aside(file, user.inode);
    FAIL() << "moved";
  } catch (const DatabaseError& error) {
    EXPECT_EQ(error.fault(), Fault::busy);
  }
  EXPECT_EQ(inode_of(file), user.inode);
}

TEST_F(CacheFileTest, JournalLeftWithoutItsFileIsThrownAway) {
  {
    CacheFile cache = open_cache_file(file);
    replace_decision(cache.database, decision_of("old"));
    fs::copy_file(file.string() + "-wal", folder / "log");
  }
  fs::remove(file);
  fs::rename(folder / "log", file.string() + "-wal");
  CacheFile cache = open_cache_file(file);
  EXPECT_EQ(find_decision(cache.database, key_of("old")), std::nullopt);
}

// ----------------------------------------------------------------------------------- read only

TEST_F(CacheFileTest, ReadOnlyOpeningCreatesNothing) {
  EXPECT_THROW(open_cache_read_only(file), DatabaseError);
  EXPECT_TRUE(fs::is_empty(folder));
}

// A folder in which nothing can be created: no log beside the file, so no reader's lock either.
TEST_F(CacheFileTest, FileOnAReadOnlyMediumIsReadAsImmutable) {
  merge_into_cache(file, {{decision_of("p")}, {}});
  fs::remove(file.string() + "-lock");
  fs::permissions(folder, fs::perms(0555));
  fs::permissions(file, fs::perms(0444));
  EXPECT_EQ(end_of(start_child([&] {
              if (geteuid() == 0 && setuid(65534) != 0) return false;  // root may write anywhere
              Database database = open_cache_read_only(file);
              return find_decision(database, key_of("p")).has_value();
            })),
            0);
  fs::permissions(folder, fs::perms(0755));
}

TEST_F(CacheFileTest, ExplanationNamesFileReasonAndRemedy) {
  EXPECT_EQ(explain("/x/y", DatabaseError(Fault::full, "database or disk is full")),
            "cache /x/y: database or disk is full; free some space, or name a file "
            "elsewhere with --cache or in XPOSE_CACHE");
}

TEST_F(CacheFileTest, DefaultFileFollowsTheEnvironment) {
  setenv("XPOSE_CACHE", "/e/own.sqlite", 1);
  setenv("XDG_CACHE_HOME", "/e/caches", 1);
  setenv("HOME", "/e/home", 1);
  EXPECT_EQ(default_cache_file(), "/e/own.sqlite");
  unsetenv("XPOSE_CACHE");
  EXPECT_EQ(default_cache_file(), "/e/caches/xpose/trials.sqlite");
  setenv("XDG_CACHE_HOME", "relative", 1);
  EXPECT_EQ(default_cache_file(), "/e/home/.cache/xpose/trials.sqlite");
  unsetenv("XDG_CACHE_HOME");
  EXPECT_EQ(default_cache_file(), "/e/home/.cache/xpose/trials.sqlite");
  unsetenv("HOME");
  EXPECT_EQ(default_cache_file(), "");
  EXPECT_EQ(system_cache_file(), "/var/lib/xpose/trials.sqlite");
}

}  // namespace
}  // namespace xpose
