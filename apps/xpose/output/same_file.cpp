#include "output/same_file.hpp"

namespace xpose::app {

bool are_one(const std::filesystem::path& one, const std::filesystem::path& other) try {
  struct stat first {};
  struct stat second {};
  const bool is_first = stat(one.c_str(), &first) == 0;
  const bool is_second = stat(other.c_str(), &second) == 0;
  if (is_first && is_second) return are_one(first, second);
  using std::filesystem::absolute;
  using std::filesystem::weakly_canonical;
  return !is_first && !is_second &&
         weakly_canonical(absolute(one)) == weakly_canonical(absolute(other));
} catch (const std::filesystem::filesystem_error&) {  // no file can have such a name
  return false;
}

}  // namespace xpose::app
