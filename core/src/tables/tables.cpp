#include "tables/tables.hpp"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "plugin/plugin_file.hpp"
#include "process/environment.hpp"
#include "process/folder.hpp"

namespace xpose {
namespace {

namespace fs = std::filesystem;

// Empty where the system does not say where the library lies.
fs::path installed_tables() {
  const fs::path folder = installed_folder();
  return folder.empty() ? folder : folder / "tables";
}

std::string content_of(const PluginFile& file) {
  if (file.identity().bytes > kMostTableBytes)
    throw Refusal{"has more than " + std::to_string(kMostTableBytes >> 20) + " MiB"};
  std::string text(file.identity().bytes, '\0');
  std::size_t at = 0;
  while (at < text.size()) {
    const ssize_t got =
        ::pread(file.descriptor(), text.data() + at, text.size() - at, static_cast<off_t>(at));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) throw Refusal{"cannot be read to its end"};
    at += static_cast<std::size_t>(got);
  }
  return text;
}

}  // namespace

std::vector<TableVariant> Tables::find(const CacheKey& key, bool warm) {
  const std::scoped_lock lock(mutex_);
  if (!was_read_) read();
  was_read_ = true;
  const auto found = rows_.find({table_device(key), key.problem, warm});
  return found == rows_.end() ? std::vector<TableVariant>() : found->second;
}

void Tables::read() {
  for (const fs::path& folder : folders_) read_folder(folder);
}

void Tables::read_folder(const fs::path& folder) {
  if (!folder.is_absolute()) {
    if (warn_)
      warn_(one_line("the folder of tables " + folder.string() +
                     " is not used: name it by its absolute path"));
    return;
  }
  std::error_code error;
  const std::vector<fs::path> names = names_in(folder, error);
  const bool is_missing = error == std::errc::no_such_file_or_directory;
  if (error && !(is_missing && folder == installed_tables()) && warn_)
    warn_(one_line("the folder of tables " + folder.string() + " is not used: " + error.message() +
                   (is_missing ? "; name one that is there, or none" : "")));
  for (const fs::path& name : names)
    if (name.extension() == ".json") read_file(folder / name);
}

void Tables::read_file(const fs::path& file) {
  std::string why;
  try {
    for (TableRow& row : table_rows(content_of(PluginFile::open(file))))
      rows_.try_emplace({std::move(row.device), std::move(row.problem), row.warm},
                        std::move(row.variants));
    return;
  } catch (const Refusal& refusal) {
    why = refusal.why;
  } catch (const Error& error) {
    why = error.what();
  }
  if (warn_) warn_(one_line("the table " + file.string() + " is not used: " + why));
}

std::vector<fs::path> default_table_folders() {
  if (const char* path = environment("XPOSE_TABLE_PATH")) return folders_of(path);
  const fs::path folder = installed_tables();
  if (folder.empty()) return {};
  return {folder};
}

}  // namespace xpose
