// A thin layer over SQLite: connections, statements, transactions, and what can go wrong with a
// file. Nothing else includes SQLite.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <variant>

struct sqlite3;
struct sqlite3_stmt;

namespace xpose {

class DatabaseError : public std::runtime_error {
 public:
  enum class Fault {
    busy,        // others held it for longer than we wait
    corrupt,     // no database, damaged, or without the tables that its version has
    unwritable,  // cannot be opened or written: permissions, a folder, a missing file
    full,        // no space left
    exhausted,   // no descriptor left
    foreign,     // another program's
    newer,       // of a schema that this program does not know
    older,       // of a schema that this program would replace, but only reads
    failed,      // anything else
  };
  DatabaseError(Fault fault, const std::string& what) : std::runtime_error(what), fault_(fault) {}
  Fault fault() const noexcept { return fault_; }

 private:
  Fault fault_;
};

// A prepared statement in use; ready for its next use when this ends. [moved never, used at once]
class Statement {
 public:
  explicit Statement(sqlite3_stmt* handle) : handle_(handle) {}
  ~Statement();
  Statement(const Statement&) = delete;  // one user at a time
  Statement& operator=(const Statement&) = delete;

  bool step();  // to the next row; false: there is none
  std::string text(int column) const;
  std::int64_t integer(int column) const;
  double real(int column) const;  // NULL: NaN

 private:
  sqlite3_stmt* handle_;
};

// The events that a committed transaction survives.
enum class Durability {
  nothing,  // may be torn by a crash of the machine: of a file that holds nothing yet
  process,  // the end of the process, however it ends
  machine,  // a crash of the machine too: waits for the disk
};

enum class Journal { write_ahead, rollback };

// A connection. Every function throws DatabaseError. [one thread at a time]
class Database {
 public:
  using Value = std::variant<std::int64_t, double, std::string_view>;  // NaN is stored as NULL

  enum class Access {
    read_write,
    read_only,
    immutable,  // read without any lock: for files that nobody writes
  };

  Database();                                                  // in memory
  Database(const std::filesystem::path& file, Access access);  // the file must exist

  // Makes the file one of this program's and brings it to the newest schema, in one transaction:
  // steps[k] leads from version k to k + 1. Throws `foreign` or `newer`, and then has changed
  // nothing.
  void adopt(std::int32_t application, std::span<const char* const> steps);
  // Throws unless the file is this program's and of that version.
  void require(std::int32_t application, std::int64_t version);

  // Write-ahead logging where the file system grants it, else a rollback journal.
  Journal choose_journal();

  // Binds the values to the statement's parameters. It is prepared once a connection.
  Statement run(std::string_view sql, std::initializer_list<Value> values = {});
  // Runs it to its end; returns the number of rows that it changed.
  std::size_t change(std::string_view sql, std::initializer_list<Value> values = {});

  // Transactions: an exception from the body rolls back. write() repeats the body where others were
  // in the way.
  void write(Durability durability, const std::function<void()>& body);
  void read(const std::function<void()>& body);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const;
  };
  class Transaction;

  void open(const std::string& name, int flags);
  std::int64_t version_of_ours(std::int32_t application, std::int64_t newest);
  void execute(const char* sql);
  std::string text_of(std::string_view sql);
  std::int64_t integer_of(std::string_view sql);

  std::filesystem::path file_;  // empty: memory
  std::unique_ptr<sqlite3, Close> handle_;
  std::map<std::string, std::unique_ptr<sqlite3_stmt, Finalize>, std::less<>> statements_;
  std::optional<Durability> durability_;  // that the connection is set to
};

}  // namespace xpose
