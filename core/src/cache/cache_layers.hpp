// The databases behind a cache: the user's file above the system's, and memory above both where the
// user's cannot be written. A layer that fails is replaced or left out, and told once.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "cache/cache_file.hpp"
#include "cache/database.hpp"

namespace xpose {

// No function throws. [one thread at a time]
class CacheLayers {
 public:
  // user empty: memory only. The system's file is opened when it is asked first.
  CacheLayers(std::filesystem::path user, std::filesystem::path system);

  // The first answer that a layer has.
  template <class Read>
  auto find(const Read& read) -> std::invoke_result_t<const Read&, Database&> {
    std::invoke_result_t<const Read&, Database&> answer;
    ask([&](Database& database) { return (answer = read(database)).has_value(); });
    return answer;
  }

  // Runs the body on the layer that is written; if that fails, once more on what takes its place.
  void write(const std::function<void(Database&)>& body);

  std::filesystem::path file() const;  // that is written; empty: memory

  std::vector<std::string> take_warnings();  // since the last call

 private:
  enum class Layer { memory, user, system };  // in the order in which they are asked

  void ask(const std::function<bool(Database&)>& has_answer);
  Database* layer(Layer which);
  void open_user();
  void open_system();
  void use_memory();
  void replace_user(Inode corrupt, const std::string& what);
  void recover(const std::exception& error);
  void tell(const std::filesystem::path& file, const std::exception& error);

  std::filesystem::path user_path_;
  std::filesystem::path system_path_;
  std::optional<Database> memory_;
  std::optional<CacheFile> user_;  // only read where there is memory
  std::optional<Database> system_;
  bool system_opened_ = false;
  std::set<std::pair<std::filesystem::path, DatabaseError::Fault>> told_;
  std::vector<std::string> warnings_;
};

}  // namespace xpose
