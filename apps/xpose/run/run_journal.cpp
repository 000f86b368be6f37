#include "run/run_journal.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <limits>
#include <stdexcept>
#include <utility>

#include "output/json_reader.hpp"
#include "output/pending_file.hpp"

namespace xpose::app {
namespace {

constexpr const char* kSchema = "xpose.run-journal/4";
constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of a journal: a dtype may be long

std::filesystem::path folder_of(const std::filesystem::path& target) {
  return target.has_parent_path() ? target.parent_path() : ".";
}

// Puts the names of the folder's files on the disk; all of this system's, where the folder may be
// written and not read.
void sync_folder(const std::filesystem::path& target) {
  const FileDescriptor folder(open(folder_of(target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (folder.get() < 0 && errno == EACCES) return ::sync();
  if (folder.get() < 0 || (fsync(folder.get()) != 0 && errno != EINVAL))  // some have no such sync
    fail(folder_of(target).string(), "cannot be written to the disk", errno);
}

std::optional<std::string> text_of_file(const std::filesystem::path& name) {
  const FileDescriptor file(open(name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (file.get() < 0 && errno == ENOENT) return std::nullopt;
  if (file.get() < 0) fail(name.string(), "cannot be read", errno);
  struct stat status {};
  if (fstat(file.get(), &status) != 0) fail(name.string(), "cannot be examined", errno);
  std::string text(std::min(static_cast<std::size_t>(status.st_size), kMostBytes + 1), '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t got = ::read(file.get(), text.data() + size, text.size() - size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) fail(name.string(), "cannot be read", errno);
    if (got == 0) break;
    size += static_cast<std::size_t>(got);
  }
  text.resize(size);
  return text;
}

Json limits_json(const TileLimits& limits) {
  return {{"most_bytes", limits.most_bytes},
          {"enough_bytes", limits.enough_bytes},
          {"piece_bytes", limits.piece_bytes},
          {"band_bytes", limits.band_bytes}};
}

std::uint64_t number(const JsonValue& json, const char* name, std::int64_t least = 0) {
  return static_cast<std::uint64_t>(
      json.field(name).whole(least, std::numeric_limits<std::int64_t>::max()));
}

// Whether there is such a file in such a state, whose time of change counts if it is given.
bool is_as_recorded(const std::filesystem::path& name, const Json& state, bool modified) {
  struct stat status {};
  if (lstat(name.c_str(), &status) != 0 || !S_ISREG(status.st_mode)) return false;
  const Json now = file_state(status);
  return now["inode"] == state["inode"] && now["bytes"] == state["bytes"] &&
         (!modified || now["modified"] == state["modified"]);
}

bool is_there(const std::filesystem::path& name) {
  struct stat status {};
  return lstat(name.c_str(), &status) == 0;
}

std::filesystem::path name_of(const std::filesystem::path& target) {
  return folder_of(target) / ("." + target.filename().string() + ".xpose-journal");
}

// The file that has to go with a journal: " and s/.b.npy.xpose-scratch", or nothing.
std::string left_scratch(const JsonValue& journal, const std::filesystem::path& target) {
  if (journal.field("scratch").text().empty()) return "";
  const std::filesystem::path folder = journal.field("command").field("scratch folder").text();
  return " and " +
         ScratchFile::kept_name(folder.empty() ? folder_of(target) : folder, target).string();
}

}  // namespace

Json file_state(const struct stat& status) {
  const auto nanoseconds = [](const struct timespec& time) {
    return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
  };
  return {{"bytes", status.st_size},
          {"modified", nanoseconds(status.st_mtim)},
          {"changed", nanoseconds(status.st_ctim)},
          {"inode", status.st_ino}};
}

std::string RunJournal::files_of(const std::filesystem::path& target) {
  const std::filesystem::path name = name_of(target);
  try {
    const std::optional<std::string> text = text_of_file(name);
    const Json journal = parse_json(text.value_or("{}"), kMostBytes);
    return name.string() + left_scratch(JsonValue(journal), target);
  } catch (const std::exception&) {  // no journal of this version
    return name.string();
  }
}

RunJournal::RunJournal(const std::filesystem::path& target, const RunIdentity& identity)
    : target_(target), name_(name_of(target)), identity_(identity) {
  document_ = {{"schema", kSchema}, {"input", identity.state}, {"command", identity.command}};
  document_ = Json::parse(xpose::app::text_of(document_));  // as it will be read
  read();
}

void RunJournal::read() {
  const std::optional<std::string> text = text_of_file(name_);
  if (!text) return;
  Json before;
  try {
    before = parse_json(*text, kMostBytes);
    check(before);
  } catch (const Error& error) {
    refuse("its journal is not one of this version of xpose (" + std::string(error.what()) + ')');
  }
  before_ = std::move(before);
  if (is_published() ||
      is_as_recorded(TemporaryFile::kept_name(target_), before_->at("part"), false))
    return;
  discard();
  before_.reset();
}

// Throws Error where it is no journal.
void RunJournal::check(const Json& before) const {
  const JsonValue json(before);
  if (json.field("schema").text() != kSchema) json.field("schema").refuse(kSchema);
  for (const char* const name : {"bytes", "modified", "inode"}) json.field("part").field(name);
  json.field("finished").whole(0, json.field("steps").whole(0, std::int64_t{1} << 62));
  json.field("scratch").text();
  for (const char* const name : {"most_bytes", "enough_bytes", "piece_bytes", "band_bytes"})
    number(json.field("limits"), name, 1);
  const std::string left = left_scratch(json, target_);
  for (const auto& [name, value] : document_["command"].items()) {
    json.field("command").field(name.c_str());
    if (before["command"][name] != value)
      refuse("it was begun with another " + name, "repeat that command, or ", left);
  }
  json.field("input");
  if (before["input"] != document_["input"])
    refuse(identity_.input + " has changed since it was begun", "", left);
}

void RunJournal::refuse(const std::string& reason, const std::string& remedy,
                        const std::string& left) const {
  throw std::runtime_error(target_.string() + ": cannot be resumed: " + reason + "; " + remedy +
                           "remove " + name_.string() + left + " to begin again");
}

// A part that is not there, or another one, has nothing of what was recorded. No later part
// may be taken for it.
void RunJournal::discard() const {
  unlink_journal();
  sync_folder(target_);
}

bool RunJournal::has_steps() const {
  const std::int64_t before = before_ ? before_->at("finished").get<std::int64_t>() : 0;
  return document_.value("finished", before) > 0;
}

void RunJournal::remove() const {
  sync_folder(target_);
  unlink_journal();
}

void RunJournal::forget() const noexcept { unlink(name_.c_str()); }

void RunJournal::unlink_journal() const {
  if (unlink(name_.c_str()) != 0 && errno != ENOENT)
    fail(name_.string(), "cannot be removed", errno);
}

bool RunJournal::is_published() const {
  return before_ && before_->at("finished") == before_->at("steps") &&
         !is_there(TemporaryFile::kept_name(target_)) &&
         is_as_recorded(target_, before_->at("part"), true);
}

TileLimits RunJournal::limits(const TileLimits& otherwise) const {
  if (!before_) return otherwise;
  const JsonValue limits(before_->at("limits"));
  return {number(limits, "most_bytes"), number(limits, "enough_bytes"),
          number(limits, "piece_bytes"), otherwise.in_order, number(limits, "band_bytes")};
}

void RunJournal::check_memory(std::uint64_t buffer_bytes, std::uint64_t free_bytes) const {
  if (before_ && buffer_bytes > free_bytes)
    refuse("it was begun with tiles that take " + std::to_string(buffer_bytes) +
               " bytes of memory, and " + std::to_string(free_bytes) + " are free",
           "free that much, or ", left_scratch(JsonValue(*before_), target_));
}

std::optional<bool> RunJournal::has_two_passes() const {
  if (!before_) return std::nullopt;
  return !before_->at("scratch").get<std::string>().empty();
}

std::int64_t RunJournal::begin(OutputFile& output, const RunSteps& steps) {
  const auto mark = [&] { return steps.scratch == nullptr ? "" : steps.scratch->mark(); };
  const bool goes_on = before_ && before_->at("steps") == steps.count &&
                       before_->at("part")["inode"] == file_state(output.status())["inode"] &&
                       before_->at("scratch") == mark();
  const std::int64_t finished = goes_on ? before_->at("finished").get<std::int64_t>() : 0;
  if (before_ && !goes_on) discard();
  document_["finished"] = finished;
  if (steps.scratch != nullptr) {
    if (!goes_on) steps.scratch->set_mark();
    steps.scratch->flushing()();
    steps.scratch->stay();
  }
  document_["limits"] = limits_json(steps.limits);
  document_["steps"] = steps.count;
  document_["scratch"] = mark();
  output.flushing()();
  output.stay();
  sync_folder(target_);
  record(output, finished);
  return finished;
}

void RunJournal::record(const OutputFile& output, std::int64_t finished) {
  document_["part"] = file_state(output.status());
  document_["finished"] = finished;
  PendingFile journal(name_);
  journal.write(text_of(document_) + '\n');
  journal.commit();
}

}  // namespace xpose::app
