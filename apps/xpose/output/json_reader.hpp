// JSON that somebody else wrote: parsed within bounds, and read with errors that say where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "output/json.hpp"

namespace xpose::app {

// Throws Error failed with the byte of the fault. Faults are text that is not JSON, more than
// max_bytes, more than 16 nested brackets, an object of more than 1000 fields or with one field
// twice, and a number beyond a double.
Json parse_json(std::string_view document, std::size_t max_bytes);

// The document in a file, likewise, of which no more than that is read. Throws Error failed where
// the file cannot be read.
Json parse_json_file(const std::filesystem::path& file, std::size_t max_bytes);

// A value of a document and its JSON pointer. Every reader throws Error failed, "at POINTER:
// expected ..., found ...", where the value has another type or range. Refers to the document.
class JsonValue {
 public:
  explicit JsonValue(const Json& json, std::string pointer = {})
      : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& expected) const;
  [[noreturn]] void refuse(const std::string& expected, const std::string& found) const;

  JsonValue field(const char* name) const;  // of an object; must be there
  bool has(const char* name) const;         // is an object with that field
  bool is_null() const { return json_.is_null(); }
  std::vector<std::pair<std::string, JsonValue>> fields(std::size_t max) const;  // in order
  std::vector<JsonValue> items(std::size_t max) const;                           // of an array

  std::string text() const;  // at most 64 KiB
  std::string name() const;  // likewise, and not empty
  bool truth() const;
  std::int64_t whole(std::int64_t min, std::int64_t max) const;
  double number(double min, double max) const;

 private:
  JsonValue child(const std::string& name, const Json& json) const;

  const Json& json_;
  std::string pointer_;
};

}  // namespace xpose::app
