#include "output/same_file.hpp"

#include <system_error>

namespace xpose::app {

bool are_one(const std::filesystem::path& one, const std::filesystem::path& other) {
  struct stat first {};
  struct stat second {};
  const bool is_first = stat(one.c_str(), &first) == 0;
  const bool is_second = stat(other.c_str(), &second) == 0;
  if (is_first && is_second) return are_one(first, second);
  if (is_first || is_second) return false;
  std::error_code of_one, of_other;
  using std::filesystem::weakly_canonical;
  const auto first_name = weakly_canonical(std::filesystem::absolute(one, of_one), of_one);
  const auto second_name = weakly_canonical(std::filesystem::absolute(other, of_other), of_other);
  return !of_one && !of_other && first_name == second_name;
}

}  // namespace xpose::app
