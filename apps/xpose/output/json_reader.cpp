#include "output/json_reader.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <functional>
#include <limits>
#include <set>
#include <sstream>

#include "output/excerpt.hpp"

namespace xpose::app {
namespace {

constexpr std::size_t kMaxDepth = 16;
constexpr std::size_t kMaxFields = 1000;  // the parser searches an object's fields one by one
constexpr std::size_t kMaxText = std::size_t{64} << 10;

[[noreturn]] void refuse_at(std::size_t byte, const std::string& expected) {
  throw Error(ErrorKind::failed, "at byte " + std::to_string(byte) + ": expected " + expected);
}

// Refuses documents that would cost the parser much memory or time, before it runs.
void check_brackets(std::string_view document) {
  std::array<std::size_t, kMaxDepth> fields{};  // of the objects that are open
  std::size_t depth = 0;
  bool in_string = false;
  for (std::size_t at = 0; at < document.size(); ++at) {
    const char c = document[at];
    if (in_string) {
      if (c == '\\') ++at;
      in_string = c != '"';
    } else if (c == '"') {
      in_string = true;
    } else if (c == '{' || c == '[') {
      if (depth == kMaxDepth)
        refuse_at(at, "at most " + std::to_string(kMaxDepth) + " brackets to be open");
      fields[depth++] = 0;
    } else if (c == '}' || c == ']') {
      if (depth != 0) --depth;
    } else if (c == ':' && depth != 0 && ++fields[depth - 1] > kMaxFields) {
      refuse_at(at, "an object of at most " + std::to_string(kMaxFields) + " fields");
    }
  }
}

// "syntax error while parsing value - unexpected '}'", without the text that the parser had read.
std::string syntax_error(std::string_view words) {
  words.remove_prefix(std::min(words.find("syntax error"), words.size()));
  return std::string(words.substr(0, words.find("; last read")));
}

// The number in "number overflow parsing '1e999'".
std::string_view overflowing_number(std::string_view words) {
  const std::size_t begin = words.find('\'') + 1;
  return words.substr(begin, words.rfind('\'') - begin);
}

std::string to_text(double number) {
  std::ostringstream text;
  text << number;
  return text.str();
}

// Refuses an object that names a field twice: readers differ in which of the two they take.
class FieldsOnce {
 public:
  bool operator()(int /*depth*/, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start) open_.emplace_back();
    if (event == Event::object_end) open_.pop_back();
    if (event == Event::key && !open_.back().insert(parsed.get<std::string>()).second)
      throw Error(ErrorKind::failed, "at a field " + excerpt(parsed.dump()) +
                                         ": expected each field of an object once, found another");
    return true;  // the parser keeps it
  }

 private:
  std::vector<std::set<std::string>> open_;  // names of the objects that are open
};

}  // namespace

Json parse_json(std::string_view document, std::size_t max_bytes) {
  if (document.size() > max_bytes) refuse_at(max_bytes, "the document's end");
  check_brackets(document);
  try {
    FieldsOnce once;
    return Json::parse(document, std::ref(once));
  } catch (const Json::parse_error& error) {
    refuse_at(error.byte, "JSON, found a " + syntax_error(error.what()));
  } catch (const Json::out_of_range& error) {
    const std::string_view number = overflowing_number(error.what());
    refuse_at(document.find(number) + 1, "a number of at most 1.8e308, found " + excerpt(number));
  }
}

Json parse_json_file(const std::filesystem::path& file, std::size_t max_bytes) {
  std::ifstream in(file, std::ios::binary);
  std::string text(max_bytes + 1, '\0');  // one more than a document may have
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(in.gcount()));
  if (!in.is_open() || in.bad())
    throw Error(ErrorKind::failed, "it cannot be read: " + std::string(std::strerror(errno)));
  return parse_json(text, max_bytes);
}

void JsonValue::refuse(const std::string& expected) const {
  refuse(expected,
         json_.is_structured() ? std::string("an ") + json_.type_name() : excerpt(json_.dump()));
}

void JsonValue::refuse(const std::string& expected, const std::string& found) const {
  throw Error(ErrorKind::failed, "at " + (pointer_.empty() ? "the top" : pointer_) + ": expected " +
                                     expected + ", found " + found);
}

JsonValue JsonValue::child(const std::string& name, const Json& json) const {
  return JsonValue(json, pointer_ + '/' + name);
}

JsonValue JsonValue::field(const char* name) const {
  if (!json_.is_object()) refuse("an object");
  const auto found = json_.find(name);
  if (found == json_.end()) refuse("a field \"" + std::string(name) + '"', "none");
  return child(name, *found);
}

bool JsonValue::has(const char* name) const { return json_.is_object() && json_.contains(name); }

std::vector<std::pair<std::string, JsonValue>> JsonValue::fields(std::size_t max) const {
  if (!json_.is_object() || json_.size() > max)
    refuse("an object of at most " + std::to_string(max) + " fields");
  std::vector<std::pair<std::string, JsonValue>> all;
  for (const auto& [name, json] : json_.items()) {
    if (name.empty() || name.size() > kMaxText) refuse("names of 1 byte to 64 KiB for its fields");
    all.emplace_back(name, child(excerpt(name), json));
  }
  return all;
}

std::vector<JsonValue> JsonValue::items(std::size_t max) const {
  if (!json_.is_array() || json_.size() > max)
    refuse("an array of at most " + std::to_string(max) + " elements");
  std::vector<JsonValue> all;
  all.reserve(json_.size());
  for (const Json& json : json_) all.push_back(child(std::to_string(all.size()), json));
  return all;
}

std::string JsonValue::text() const {
  const auto* const text = json_.get_ptr<const std::string*>();
  if (text == nullptr || text->size() > kMaxText) refuse("a text of at most 64 KiB");
  return *text;
}

std::string JsonValue::name() const {
  std::string name = text();
  if (name.empty()) refuse("a text that is not empty");
  return name;
}

bool JsonValue::truth() const {
  if (!json_.is_boolean()) refuse("true or false");
  return json_.get<bool>();
}

std::int64_t JsonValue::whole(std::int64_t min, std::int64_t max) const {
  constexpr auto kMax = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
  const bool fits =
      json_.is_number_unsigned() ? json_.get<std::uint64_t>() <= kMax : json_.is_number_integer();
  const std::int64_t number = fits ? json_.get<std::int64_t>() : 0;
  if (!fits || number < min || number > max)
    refuse("a whole number from " + std::to_string(min) + " to " + std::to_string(max));
  return number;
}

double JsonValue::number(double min, double max) const {
  const double number = json_.is_number() ? json_.get<double>() : min - 1;
  if (number < min || number > max) refuse("a number from " + to_text(min) + " to " + to_text(max));
  return number;
}

}  // namespace xpose::app
