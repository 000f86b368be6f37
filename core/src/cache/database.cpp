#include "cache/database.hpp"

#include <sqlite3.h>

#include <array>
#include <chrono>
#include <limits>
#include <new>
#include <optional>
#include <system_error>
#include <thread>

#include "process/descriptor.hpp"
#include "process/local_file_system.hpp"

namespace xpose {
namespace {

using Fault = DatabaseError::Fault;

constexpr int kBusyMilliseconds = 5000;
constexpr int kAttempts = 3;  // of a transaction, each of which waits that long

Fault fault_of(int code) {
  switch (code & 0xff) {
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
    case SQLITE_PROTOCOL:
      return Fault::busy;
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return Fault::corrupt;
    case SQLITE_FULL:
      return Fault::full;
    case SQLITE_CANTOPEN:
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return Fault::unwritable;
    default:
      return Fault::failed;
  }
}

[[noreturn]] void fail(sqlite3* handle, int code) {
  std::string what = sqlite3_errmsg(handle);
  const int number = sqlite3_system_errno(handle);
  const Fault fault = fault_of(code);
  const bool is_of_system = fault == Fault::unwritable || fault == Fault::failed;
  if (number != 0 && is_of_system) what += ": " + std::generic_category().message(number);
  throw DatabaseError(is_of_system && lacks_descriptor(number) ? Fault::exhausted : fault, what);
}

// A file name as SQLite's URI form takes it.
std::string uri(const std::filesystem::path& file) {
  std::string text = "file:";
  for (const char c : file.string()) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f && std::string_view("%?#").find(c) == std::string_view::npos)
      text += c;
    else
      text += {'%', kDigits[byte / 16], kDigits[byte % 16]};
  }
  return text + "?immutable=1";
}

}  // namespace

// ------------------------------------------------------------------------------------- statement

Statement::~Statement() {
  sqlite3_reset(handle_);
  sqlite3_clear_bindings(handle_);
}

bool Statement::step() {
  const int code = sqlite3_step(handle_);
  if (code != SQLITE_ROW && code != SQLITE_DONE) fail(sqlite3_db_handle(handle_), code);
  return code == SQLITE_ROW;
}

std::string Statement::text(int column) const {
  const unsigned char* begin = sqlite3_column_text(handle_, column);
  const auto size = static_cast<std::size_t>(sqlite3_column_bytes(handle_, column));
  if (begin != nullptr) return {reinterpret_cast<const char*>(begin), size};
  if (sqlite3_column_type(handle_, column) != SQLITE_NULL) throw std::bad_alloc();
  return {};
}

std::int64_t Statement::integer(int column) const { return sqlite3_column_int64(handle_, column); }

double Statement::real(int column) const {
  if (sqlite3_column_type(handle_, column) == SQLITE_NULL)
    return std::numeric_limits<double>::quiet_NaN();
  return sqlite3_column_double(handle_, column);
}

// ------------------------------------------------------------------------------------ connection

void Database::Close::operator()(sqlite3* handle) const { sqlite3_close_v2(handle); }
void Database::Finalize::operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }

Database::Database() { open(":memory:", SQLITE_OPEN_READWRITE); }

// An absolute name is never taken for a URI or for memory.
Database::Database(const std::filesystem::path& file, Access access)
    : file_(std::filesystem::absolute(file)) {
  switch (access) {
    case Access::read_write:
      open(file_.string(), SQLITE_OPEN_READWRITE);
      if (sqlite3_db_readonly(handle_.get(), "main") != 0)
        throw DatabaseError(Fault::unwritable, "it may not be written");
      return;
    case Access::read_only:
      open(file_.string(), SQLITE_OPEN_READONLY);
      return;
    case Access::immutable:
      open(uri(file_), SQLITE_OPEN_READONLY | SQLITE_OPEN_URI);
      return;
  }
}

void Database::open(const std::string& name, int flags) {
  sqlite3* handle = nullptr;
  const int code = sqlite3_open_v2(name.c_str(), &handle,
                                   flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nullptr);
  handle_.reset(handle);
  if (handle == nullptr) throw std::bad_alloc();
  if (code != SQLITE_OK) fail(handle, code);
  sqlite3_busy_timeout(handle, kBusyMilliseconds);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_ENABLE_FKEY, 1, nullptr);
  // The file is data: nothing in it may act as a program.
  sqlite3_db_config(handle, SQLITE_DBCONFIG_DEFENSIVE, 1, nullptr);
  sqlite3_db_config(handle, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, nullptr);
  execute("PRAGMA cell_size_check=ON");  // sees damaged pages earlier
  // Loads the schema: a file that is no database, or shorter than it should be, shows here.
  integer_of("SELECT count(*) FROM sqlite_schema");
}

void Database::execute(const char* sql) {
  if (const int code = sqlite3_exec(handle_.get(), sql, nullptr, nullptr, nullptr);
      code != SQLITE_OK)
    fail(handle_.get(), code);
}

Statement Database::run(std::string_view sql, std::initializer_list<Value> values) {
  auto found = statements_.find(sql);
  if (found == statements_.end()) {
    sqlite3_stmt* prepared = nullptr;
    const int code = sqlite3_prepare_v3(handle_.get(), sql.data(), static_cast<int>(sql.size()),
                                        SQLITE_PREPARE_PERSISTENT, &prepared, nullptr);
    std::unique_ptr<sqlite3_stmt, Finalize> owned(prepared);
    // Our statements are right, so it is the file that lacks what they name.
    if (code == SQLITE_ERROR) throw DatabaseError(Fault::corrupt, sqlite3_errmsg(handle_.get()));
    if (code != SQLITE_OK) fail(handle_.get(), code);
    found = statements_.try_emplace(std::string(sql), std::move(owned)).first;
  }
  sqlite3_stmt* statement = found->second.get();
  int place = 0;
  for (const Value& value : values) {
    ++place;
    int code = SQLITE_OK;
    if (const auto* integer = std::get_if<std::int64_t>(&value))
      code = sqlite3_bind_int64(statement, place, *integer);
    else if (const auto* real = std::get_if<double>(&value))
      code = sqlite3_bind_double(statement, place, *real);
    else if (const auto text = std::get<std::string_view>(value); true)
      code = sqlite3_bind_text64(statement, place, text.empty() ? "" : text.data(), text.size(),
                                 SQLITE_TRANSIENT, SQLITE_UTF8);
    if (code != SQLITE_OK) fail(handle_.get(), code);
  }
  return Statement(statement);
}

std::size_t Database::change(std::string_view sql, std::initializer_list<Value> values) {
  Statement statement = run(sql, values);
  while (statement.step()) {
  }
  return static_cast<std::size_t>(sqlite3_changes64(handle_.get()));
}

std::string Database::text_of(std::string_view sql) {
  Statement statement = run(sql);
  return statement.step() ? statement.text(0) : std::string();
}

std::int64_t Database::integer_of(std::string_view sql) {
  Statement statement = run(sql);
  return statement.step() ? statement.integer(0) : 0;
}

// ---------------------------------------------------------------------------------- transactions

class Database::Transaction {
 public:
  Transaction(Database& database, const char* begin) : database_(database) {
    database.execute(begin);
  }
  ~Transaction() {
    if (sqlite3_get_autocommit(database_.handle_.get()) == 0)
      sqlite3_exec(database_.handle_.get(), "ROLLBACK", nullptr, nullptr, nullptr);
  }
  Transaction(const Transaction&) = delete;  // ends once
  Transaction& operator=(const Transaction&) = delete;
  void commit() { database_.execute("COMMIT"); }

 private:
  Database& database_;
};

void Database::write(Durability durability, const std::function<void()>& body) {
  if (durability_ != durability) {
    constexpr std::array kPragmas = {"PRAGMA synchronous=OFF", "PRAGMA synchronous=NORMAL",
                                     "PRAGMA synchronous=EXTRA"};
    execute(kPragmas.at(static_cast<std::size_t>(durability)));
    durability_ = durability;
  }
  for (int attempt = 1;; ++attempt) {
    try {
      // Immediate: a transaction that becomes a writing one half way cannot wait for others.
      Transaction transaction(*this, "BEGIN IMMEDIATE");
      body();
      return transaction.commit();
    } catch (const DatabaseError& error) {
      if (error.fault() != Fault::busy || attempt == kAttempts) throw;
    }
  }
}

void Database::read(const std::function<void()>& body) {
  Transaction transaction(*this, "BEGIN");
  body();
  transaction.commit();
}

// ------------------------------------------------------------------------------- schema, journal

// The schema's version; 0 for a file without content. Throws `foreign` or `newer`.
std::int64_t Database::version_of_ours(std::int32_t application, std::int64_t newest) {
  // In one transaction: another process may be making the file, and the answers must be of one
  // moment.
  std::optional<Transaction> own;
  if (sqlite3_get_autocommit(handle_.get()) != 0) own.emplace(*this, "BEGIN");
  const std::int64_t owner = integer_of("PRAGMA application_id");
  const std::int64_t version = integer_of("PRAGMA user_version");
  const bool empty =
      owner == 0 && version == 0 && integer_of("SELECT count(*) FROM sqlite_schema") == 0;
  if (own) own->commit();
  const bool ours = owner == application || empty;
  if (!ours) throw DatabaseError(Fault::foreign, "it is a database of another program");
  if (version > newest || version < 0)
    throw DatabaseError(Fault::newer, "it has schema " + std::to_string(version) +
                                          ", this program knows up to " + std::to_string(newest));
  return version;
}

void Database::adopt(std::int32_t application, std::span<const char* const> steps) {
  const auto newest = static_cast<std::int64_t>(steps.size());
  const std::int64_t found = version_of_ours(application, newest);
  if (found == newest) return;
  // A new file does not wait for its disk; a crash of the machine may leave one to be moved aside.
  write(found == 0 ? Durability::nothing : Durability::process, [&] {
    // Asked again: another process may have been here in between.
    for (auto version = version_of_ours(application, newest); version < newest; ++version)
      execute(steps[static_cast<std::size_t>(version)]);
    execute(("PRAGMA application_id=" + std::to_string(application)).c_str());
    execute(("PRAGMA user_version=" + std::to_string(newest)).c_str());
  });
}

void Database::require(std::int32_t application, std::int64_t version) {
  if (const std::int64_t found = version_of_ours(application, version); found != version)
    throw DatabaseError(Fault::older, "it has schema " + std::to_string(found) + ", older than " +
                                          std::to_string(version) + ", and is only read");
}

Journal Database::choose_journal() {
  const bool local = on_local_file_system(file_.parent_path());
  const std::string_view wanted = local ? "wal" : "delete";
  std::string mode = text_of("PRAGMA journal_mode");
  // Changing it takes the file for this process alone, for which SQLite does not wait.
  const auto deadline =
      std::chrono::steady_clock::now() + std::chrono::milliseconds(kBusyMilliseconds);
  while (mode != wanted) {
    try {
      mode = text_of(local ? "PRAGMA journal_mode=WAL" : "PRAGMA journal_mode=DELETE");
      break;
    } catch (const DatabaseError& error) {
      if (error.fault() != Fault::busy || std::chrono::steady_clock::now() > deadline) throw;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
  }
  execute("PRAGMA synchronous=NORMAL");
  durability_ = Durability::process;
  return mode == "wal" ? Journal::write_ahead : Journal::rollback;
}

}  // namespace xpose
