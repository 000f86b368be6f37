#include "npy/python_literal.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <string>

#include "output/excerpt.hpp"

namespace xpose::app {
namespace {

constexpr int kMaxDepth = 32;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }

class Parser {
 public:
  Parser(std::string_view text, std::string_view whose) : text_(text), whose_(whose) {}

  Literal whole() {
    Literal literal = value(0);
    skip_space();
    if (at_ != text_.size())
      throw std::runtime_error(whose_ + " continues after its end, at character " +
                               std::to_string(at_) + ": '" + excerpt(text_.substr(at_)) + '\'');
    return literal;
  }

 private:
  [[noreturn]] void fail(const std::string& expected) const {
    throw std::runtime_error(
        whose_ + " is malformed at character " + std::to_string(at_) + ": expected " + expected +
        (at_ < text_.size() ? ", found '" + excerpt(text_.substr(at_)) + '\'' : ", found its end"));
  }

  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }

  bool take(char c) {
    if (at_ == text_.size() || text_[at_] != c) return false;
    ++at_;
    return true;
  }

  void skip_space() {
    while (at_ < text_.size() && std::string_view(" \t\r\n\f").find(text_[at_]) != text_.npos)
      ++at_;
  }

  Literal value(int depth) {
    if (depth == kMaxDepth)
      throw std::runtime_error(whose_ + " nests deeper than " + std::to_string(kMaxDepth) +
                               " brackets");
    skip_space();
    const std::size_t begin = at_;
    Literal literal = unplaced_value(depth);
    literal.source = text_.substr(begin, at_ - begin);
    return literal;
  }

  Literal unplaced_value(int depth) {
    const char c = peek();
    if (take('{')) return dict(depth);
    if (take('[')) return sequence(Literal::Kind::list, ']', depth);
    if (take('(')) return sequence(Literal::Kind::tuple, ')', depth);
    if (c == '-' || is_digit(c)) return integer();
    const bool prefixed =
        c == 'u' && at_ + 1 < text_.size() && (text_[at_ + 1] == '\'' || text_[at_ + 1] == '"');
    if (prefixed) ++at_;
    if (take('\'')) return string('\'');
    if (take('"')) return string('"');
    return word();
  }

  Literal dict(int depth) {
    Literal literal{.kind = Literal::Kind::dict};
    for (skip_space(); !take('}'); skip_space()) {
      literal.items.push_back(value(depth + 1));
      skip_space();
      if (!take(':')) fail("':'");
      literal.items.push_back(value(depth + 1));
      skip_space();
      if (!take(',') && peek() != '}') fail("',' or '}'");
    }
    return literal;
  }

  Literal sequence(Literal::Kind kind, char close, int depth) {
    Literal literal{.kind = kind};
    bool comma = false;
    for (skip_space(); !take(close); skip_space()) {
      literal.items.push_back(value(depth + 1));
      skip_space();
      comma = take(',');
      if (!comma && peek() != close) fail(std::string("',' or '") + close + '\'');
    }
    const bool parentheses =
        kind == Literal::Kind::tuple && literal.items.size() == 1 && !comma;  // (3) is 3
    if (!parentheses) return literal;
    Literal inner = std::move(literal.items.front());
    return inner;
  }

  Literal integer() {
    Literal literal{.kind = Literal::Kind::integer};
    const char* const begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), literal.number);
    if (error == std::errc::result_out_of_range)
      throw std::runtime_error(whose_ + " has an integer that does not fit in 64 bits: " +
                               excerpt(std::string_view(begin, end)));
    if (error != std::errc()) fail("an integer");
    const char* const digits = *begin == '-' ? begin + 1 : begin;
    if (*digits == '0' && end - digits > 1) fail("an integer without leading zeros");
    at_ += static_cast<std::size_t>(end - begin);
    take('L');  // Python 2 wrote its long integers so
    return literal;
  }

  Literal word() {
    std::size_t end = at_;
    while (end < text_.size() && is_letter(text_[end])) ++end;
    const std::string_view name = text_.substr(at_, end - at_);
    if (name != "True" && name != "False")
      fail("a string, an integer, True, False, a tuple, a list or a dict");
    at_ = end;
    return {.kind = Literal::Kind::boolean, .number = name == "True"};
  }

  Literal string(char quote) {
    const std::size_t begin = at_;
    while (!take(quote)) {
      if (at_ == text_.size() || peek() == '\n') fail(std::string("the closing ") + quote);
      if (take('\\'))
        escape();
      else
        ++at_;
    }
    return {.kind = Literal::Kind::string, .text = text_.substr(begin, at_ - 1 - begin)};
  }

  void escape() {
    const char c = peek();
    if (c == '\0' || std::string_view("\\'\"abfnrtvxuU0").find(c) == std::string_view::npos)
      fail("an escape that Python writes");
    ++at_;
    const std::size_t digits = c == 'x' ? 2 : c == 'u' ? 4 : c == 'U' ? 8 : 0;
    const std::string_view code = text_.substr(at_, digits);
    if (code.size() < digits || !std::ranges::all_of(code, is_hex))
      fail(std::to_string(digits) + " hexadecimal digits");
    at_ += digits;
  }

  std::string_view text_;
  std::string whose_;
  std::size_t at_ = 0;
};

}  // namespace

Literal parse_literal(std::string_view text, std::string_view whose) {
  return Parser(text, whose).whole();
}

}  // namespace xpose::app
