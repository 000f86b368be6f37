#include "forecast/known_disks.hpp"

#include <sys/stat.h>
#include <sys/statvfs.h>

#include <cerrno>
#include <exception>
#include <system_error>

#include "output/file_descriptor.hpp"
#include "output/pending_file.hpp"
#include "output/progress_line.hpp"
#include "xpose/cache.hpp"

namespace xpose::app {
namespace {

constexpr const char* kSchema = "xpose.disks/1";
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostDisks = 1000;

std::filesystem::path file_beside(const EngineOptions& options) {
  if (!options.remember) return {};
  const std::filesystem::path cache = options.cache.empty() ? default_cache_file() : options.cache;
  std::error_code ignored;
  const auto status = std::filesystem::status(cache, ignored);
  const bool is_no_file = exists(status) && !is_regular_file(status);  // /dev/null: none is wanted
  return cache.empty() || is_no_file
             ? std::filesystem::path()
             : std::filesystem::path(cache).replace_extension(".disks.json");
}

// For its owner alone, as the cache's own.
void create_folder(const std::filesystem::path& folder) {
  std::error_code ignored;
  if (folder.empty() || std::filesystem::exists(folder, ignored)) return;
  create_folder(folder.parent_path());
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST)  // by another process meanwhile
    fail(folder.string(), "cannot be made", errno);
}

}  // namespace

std::string disk_name(const std::filesystem::path& path) {
  struct statvfs system {};
  struct stat status {};
  if (statvfs(path.c_str(), &system) == 0 && system.f_fsid != 0)
    return "file system " + std::to_string(system.f_fsid);
  return stat(path.c_str(), &status) == 0 ? "device " + std::to_string(status.st_dev) : "";
}

KnownDisks::KnownDisks(const EngineOptions& options) : file_(file_beside(options)) {}

Json KnownDisks::document() const {
  std::error_code ignored;
  const auto status = std::filesystem::status(file_, ignored);
  if (!exists(status)) return Json::object();
  if (!is_regular_file(status)) throw Error(ErrorKind::failed, "it is no plain file; remove it");
  Json json = parse_json_file(file_, kMostBytes);
  const JsonValue schema = JsonValue(json).field("schema");
  if (schema.text() != kSchema) schema.refuse('"' + std::string(kSchema) + '"');
  static_cast<void>(JsonValue(json).field("disks").fields(kMostDisks));
  return json;
}

std::optional<DiskCurves> KnownDisks::find(const std::string& way) const try {
  if (file_.empty()) return std::nullopt;
  const Json json = document();
  const JsonValue document(json);
  if (!document.has("disks")) return std::nullopt;
  const JsonValue disks = document.field("disks");
  return disks.has(way.c_str()) ? std::optional(disk_curves_of(disks.field(way.c_str())))
                                : std::nullopt;
} catch (const Error& error) {
  say("warning: " + file_.string() + ": " + error.what() + "; the disks are measured again");
  return std::nullopt;
}

void KnownDisks::keep(const std::string& way, const DiskCurves& curves) const try {
  if (file_.empty()) return;
  Json json = Json::object();
  try {
    json = document();
  } catch (const Error&) {  // told by find()
  }
  json["schema"] = kSchema;
  json["disks"][way] = to_json(curves);
  create_folder(file_.parent_path());
  PendingFile file(file_);
  file.write(text_of(json));
  file.commit();
} catch (const std::exception& error) {
  say("warning: " + std::string(error.what()) + "; the disks will be measured again");
}

}  // namespace xpose::app
