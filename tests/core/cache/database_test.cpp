#include "cache/database.hpp"

#include <sqlite3.h>
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <limits>

#include "cache_fixture.hpp"
#include "process/local_file_system.hpp"

namespace xpose {
namespace {

using Fault = DatabaseError::Fault;

constexpr std::int32_t kApplication = 0x1234;
constexpr std::array<const char*, 1> kFirst = {"CREATE TABLE t(a ANY) STRICT"};
constexpr std::array<const char*, 2> kSecond = {kFirst[0], "ALTER TABLE t ADD COLUMN b INTEGER"};

class DatabaseTest : public CacheFixture {
 protected:
  DatabaseTest() { write_bytes(file, ""); }

  Database open() { return {file, Database::Access::read_write}; }
  Database adopted() {
    Database database = open();
    database.adopt(kApplication, kFirst);
    return database;
  }
  std::int64_t rows(Database& database) {
    Statement row = database.run("SELECT count(*) FROM t");
    row.step();
    return row.integer(0);
  }
};

template <class Body>
std::optional<Fault> fault_of(const Body& body) {
  try {
    body();
  } catch (const DatabaseError& error) {
    return error.fault();
  }
  return {};
}

TEST_F(DatabaseTest, TextComesBackByteForByte) {
  Database database = adopted();
  for (const std::string& text :
       {std::string(), std::string("a\0b\0", 4), std::string("\xff\xfe\x80 \xc3\x28"),
        std::string("größer ≠ 😀"), std::string(1 << 20, 'x')}) {
    database.change("DELETE FROM t");
    database.change("INSERT INTO t VALUES(?)", {text});
    Statement row = database.run("SELECT a FROM t WHERE a = ?", {text});
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.text(0), text);
  }
}

TEST_F(DatabaseTest, NumbersComeBackBitForBit) {
  Database database = adopted();
  using Double = std::numeric_limits<double>;
  for (const double value : {0.0, -0.0, 1.0, 0.1, -1e300, Double::denorm_min(), Double::infinity(),
                             9007199254740993.0}) {
    database.change("DELETE FROM t");
    database.change("INSERT INTO t VALUES(?)", {value});
    Statement row = database.run("SELECT a FROM t");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(std::bit_cast<std::uint64_t>(row.real(0)), std::bit_cast<std::uint64_t>(value));
  }
  for (const std::int64_t value : {INT64_MIN, std::int64_t{-1}, INT64_MAX}) {
    database.change("DELETE FROM t");
    database.change("INSERT INTO t VALUES(?)", {value});
    Statement row = database.run("SELECT a FROM t");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.integer(0), value);
  }
}

TEST_F(DatabaseTest, NanComesBackAsNan) {
  Database database = adopted();
  database.change("INSERT INTO t VALUES(?)", {std::nan("")});
  Statement row = database.run("SELECT a FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_TRUE(std::isnan(row.real(0)));
}

TEST_F(DatabaseTest, StatementLeftHalfWayCanBeRunAgain) {
  Database database = adopted();
  for (std::int64_t value = 0; value < 3; ++value)
    database.change("INSERT INTO t VALUES(?)", {value});
  for (int time = 0; time < 2; ++time) {
    Statement row = database.run("SELECT a FROM t ORDER BY a");
    ASSERT_TRUE(row.step());
    EXPECT_EQ(row.integer(0), 0);
  }
  EXPECT_EQ(database.change("DELETE FROM t WHERE a > ?", {std::int64_t{0}}), 2U);
}

TEST_F(DatabaseTest, ExceptionRollsBackAndTheNextTransactionWorks) {
  Database database = adopted();
  const auto insert = [&] { database.change("INSERT INTO t VALUES(1)"); };
  EXPECT_THROW(database.write(Durability::process,
                              [&] {
                                insert();
                                throw std::runtime_error("stop");
                              }),
               std::runtime_error);
  EXPECT_EQ(rows(database), 0);
  database.write(Durability::process, insert);
  EXPECT_EQ(rows(database), 1);
}

TEST_F(DatabaseTest, ReadingSeesOneMoment) {
  Database reader = adopted();
  reader.choose_journal();
  Database writer = open();
  reader.read([&] {
    EXPECT_EQ(rows(reader), 0);
    writer.write(Durability::process, [&] { writer.change("INSERT INTO t VALUES(1)"); });
    EXPECT_EQ(rows(reader), 0);
  });
  EXPECT_EQ(rows(reader), 1);
}

TEST_F(DatabaseTest, DurabilityIsTheTransactionsOwn) {
  Database database = adopted();
  const auto level = [&] {
    Statement row = database.run("PRAGMA synchronous");
    row.step();
    return row.integer(0);
  };
  database.write(Durability::machine, [&] { EXPECT_EQ(level(), 3); });  // EXTRA
  database.write(Durability::process, [&] { EXPECT_EQ(level(), 1); });  // NORMAL
}

// ---------------------------------------------------------------------------------------- schema

TEST_F(DatabaseTest, OlderSchemaIsMigratedWithItsRows) {
  adopted().change("INSERT INTO t VALUES(7)");
  Database database = open();
  database.adopt(kApplication, kSecond);
  Statement row = database.run("SELECT a, b FROM t");
  ASSERT_TRUE(row.step());
  EXPECT_EQ(row.integer(0), 7);
  EXPECT_NO_THROW(database.require(kApplication, 2));
}

TEST_F(DatabaseTest, FailedMigrationChangesNothing) {
  adopted();
  const std::array<const char*, 3> broken = {kSecond[0], kSecond[1], "nonsense"};
  Database database = open();
  EXPECT_THROW(database.adopt(kApplication, broken), DatabaseError);
  EXPECT_NO_THROW(database.require(kApplication, 1));
  EXPECT_EQ(fault_of([&] { database.run("SELECT b FROM t"); }), Fault::corrupt);
}

TEST_F(DatabaseTest, NewerSchemaIsRefusedUntouched) {
  open().adopt(kApplication, kSecond);
  const std::string before = bytes_of(file);
  EXPECT_EQ(fault_of([&] { open().adopt(kApplication, kFirst); }), Fault::newer);
  EXPECT_EQ(bytes_of(file), before);
}

TEST_F(DatabaseTest, OtherProgramsFilesAreRefusedUntouched) {
  adopted();
  const std::string before = bytes_of(file);
  EXPECT_EQ(fault_of([&] { open().adopt(kApplication + 1, kFirst); }), Fault::foreign);
  EXPECT_EQ(bytes_of(file), before);
}

TEST_F(DatabaseTest, TablesWithoutAnApplicationAreAnotherPrograms) {
  open().change("CREATE TABLE someone(a)");
  EXPECT_EQ(fault_of([&] { open().adopt(kApplication, kFirst); }), Fault::foreign);
}

TEST_F(DatabaseTest, RequireTakesNoOlderSchema) {
  Database database = adopted();
  EXPECT_EQ(fault_of([&] { database.require(kApplication, 2); }), Fault::older);
}

// ---------------------------------------------------------------------------------------- faults

TEST_F(DatabaseTest, TextFileIsCorrupt) {
  write_bytes(file, std::string(5000, 'x'));
  EXPECT_EQ(fault_of([&] { open(); }), Fault::corrupt);
}

TEST_F(DatabaseTest, CutFileIsCorrupt) {
  adopted();
  std::filesystem::resize_file(file, std::filesystem::file_size(file) - 4096);
  EXPECT_EQ(fault_of([&] { open(); }), Fault::corrupt);
}

TEST_F(DatabaseTest, MissingFileAndFolderInItsPlaceAreUnwritable) {
  EXPECT_EQ(fault_of([&] { Database(folder / "none", Database::Access::read_write); }),
            Fault::unwritable);
  EXPECT_FALSE(std::filesystem::exists(folder / "none"));
  EXPECT_EQ(fault_of([&] { Database(folder, Database::Access::read_write); }), Fault::unwritable);
}

TEST_F(DatabaseTest, ReadOnlyConnectionDoesNotWrite) {
  adopted();
  Database database(file, Database::Access::read_only);
  EXPECT_EQ(fault_of([&] { database.change("INSERT INTO t VALUES(1)"); }), Fault::unwritable);
}

TEST_F(DatabaseTest, ImmutableFileMayHaveAnyName) {
  adopted().change("INSERT INTO t VALUES(1)");
  const auto odd = folder / "a b%41?mode=rwc#ü";
  std::filesystem::copy_file(file, odd);
  Database database(odd, Database::Access::immutable);
  EXPECT_EQ(rows(database), 1);
}

TEST_F(DatabaseTest, NoSpaceIsFull) {
  Database database = adopted();
  database.run("PRAGMA max_page_count=3").step();
  EXPECT_EQ(fault_of([&] {
              database.write(Durability::process, [&] {
                database.change("INSERT INTO t VALUES(?)", {std::string(100000, 'x')});
              });
            }),
            Fault::full);
  EXPECT_EQ(rows(database), 0);
}

TEST_F(DatabaseTest, HeldFileIsBusyAfterAllAttempts) {
  Database holder = adopted();
  Database other = open();
  other.run("PRAGMA busy_timeout=1").step();
  int begun = 0;
  holder.write(Durability::process, [&] {
    EXPECT_EQ(fault_of([&] { other.write(Durability::process, [&] { ++begun; }); }), Fault::busy);
  });
  EXPECT_EQ(begun, 0);
  other.write(Durability::process, [&] { ++begun; });
  EXPECT_EQ(begun, 1);
}

// --------------------------------------------------------------------------------------- journal

TEST_F(DatabaseTest, LocalFileSystemGetsAWriteAheadLog) {
  ASSERT_TRUE(on_local_file_system(folder)) << "run this with TMPDIR on a local disk";
  Database database = adopted();
  EXPECT_EQ(database.choose_journal(), Journal::write_ahead);
  database.change("INSERT INTO t VALUES(1)");
  EXPECT_TRUE(std::filesystem::exists(folder / "trials.sqlite-wal"));
}

TEST_F(DatabaseTest, RefusedWriteAheadLogIsARollbackJournal) {
  // Of SQLite's own: it locks with a file beside the database and shares no memory.
  sqlite3_vfs* usual = sqlite3_vfs_find(nullptr);
  ASSERT_EQ(sqlite3_vfs_register(sqlite3_vfs_find("unix-dotfile"), 1), SQLITE_OK);
  {
    Database database = adopted();
    EXPECT_EQ(database.choose_journal(), Journal::rollback);
    database.write(Durability::machine, [&] { database.change("INSERT INTO t VALUES(1)"); });
    EXPECT_EQ(rows(database), 1);
  }
  sqlite3_vfs_register(usual, 1);
  Database database = open();
  EXPECT_EQ(rows(database), 1);
}

}  // namespace
}  // namespace xpose
