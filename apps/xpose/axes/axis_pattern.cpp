#include "axes/axis_pattern.hpp"

#include <algorithm>
#include <charconv>
#include <functional>
#include <optional>

#include "output/excerpt.hpp"

namespace xpose::app {
namespace {

constexpr std::string_view kEllipsis = "...";
constexpr const char* kExample = "'b h w c -> b c h w'";

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool continues(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }  // in UTF-8

bool is_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

[[noreturn]] void fail(std::string_view pattern, const std::string& what) {
  throw AxisError("--pattern '" + excerpt(pattern) + "': " + what);
}

// One side of the arrow.
class SideParser {
 public:
  // end: of the side; places are told in the whole text.
  SideParser(std::string_view text, std::size_t begin, std::size_t end, bool is_left)
      : text_(text), at_(begin), end_(end), is_left_(is_left) {}

  std::vector<AxisPattern::Axis> axes() {
    std::vector<AxisPattern::Axis> axes;
    for (skip_space(); at_ < end_; skip_space()) axes.push_back(axis());
    return axes;
  }

 private:
  [[noreturn]] void refuse(std::size_t at, std::size_t length, const std::string& why) const {
    while (at + length < text_.size() && continues(text_[at + length])) ++length;
    const auto before = std::ranges::count_if(text_.substr(0, at), std::not_fn(continues));
    fail(text_, '\'' + excerpt(text_.substr(at, length)) + "' at character " +
                    std::to_string(before + 1) + ' ' + why);
  }

  AxisPattern::Axis axis() {
    const std::size_t begin = at_;
    if (text_[at_] == ')') refuse(at_, 1, "has no '(' before it");
    if (text_[at_] != '(') return single();
    AxisPattern::Axis merged;
    for (++at_, skip_space();; skip_space()) {
      if (at_ == end_) refuse(begin, 1, "has no ')' behind it");
      if (text_[at_] == ')') break;
      if (text_[at_] == '(') refuse(at_, 1, "stands inside parentheses, which do not nest");
      const std::size_t part_at = at_;
      const AxisPattern::Axis part = single();
      if (part.is_ellipsis && is_left_)
        refuse(part_at, kEllipsis.size(),
               "stands inside parentheses on the left, where each axis needs a name");
      merged.names.insert(merged.names.end(), part.names.begin(), part.names.end());
    }
    ++at_;
    return merged;
  }

  // A name, 1 or an ellipsis.
  AxisPattern::Axis single() {
    const std::size_t begin = at_;
    if (text_.substr(at_, end_ - at_).starts_with(kEllipsis)) {
      at_ += kEllipsis.size();
      note(begin, kEllipsis);
      return {{std::string(kEllipsis)}, true};
    }
    while (at_ < end_ && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    const std::string_view name = text_.substr(begin, at_ - begin);
    if (name == "1") return {};
    if (!is_name(name))
      refuse(begin, std::max<std::size_t>(name.size(), 1),
             "is no axis: write names of letters and digits, '...', or 1 for a unit axis");
    note(begin, name);
    return {{std::string(name)}, false};
  }

  void note(std::size_t at, std::string_view name) {
    if (std::ranges::find(met_, name) != met_.end())
      refuse(at, name.size(),
             std::string("stands twice on the ") + (is_left_ ? "left" : "right") +
                 ": an axis is named once on either side");
    met_.push_back(name);
  }

  void skip_space() {
    while (at_ < end_ && text_[at_] == ' ') ++at_;
  }

  std::string_view text_;
  std::size_t at_;
  std::size_t end_;
  bool is_left_;
  std::vector<std::string_view> met_;
};

std::vector<std::string> names_of(const std::vector<AxisPattern::Axis>& axes) {
  std::vector<std::string> names;
  for (const AxisPattern::Axis& axis : axes)
    names.insert(names.end(), axis.names.begin(), axis.names.end());
  return names;
}

void check_same_names(std::string_view text, const AxisPattern& pattern) {
  const std::vector<std::string> in = names_of(pattern.in);
  const std::vector<std::string> out = names_of(pattern.out);
  const auto check = [&](const auto& names, const auto& others, const std::string& side) {
    for (const std::string& name : names)
      if (std::ranges::find(others, name) == others.end())
        fail(text, '\'' + excerpt(name) + "' stands on the " + side +
                       " alone: an axis is named once on either side");
  };
  check(in, out, "left");
  check(out, in, "right");
}

std::string text_of(const AxisPattern::Axis& axis) {
  if (axis.names.empty()) return "1";
  if (axis.is_ellipsis || (axis.names.size() == 1 && axis.names.front() != kEllipsis))
    return axis.names.front();
  std::string text;
  for (const std::string& name : axis.names) text += (text.empty() ? "(" : " ") + name;
  return text + ')';
}

struct KnownSizes {
  std::int64_t product = 1;
  std::optional<std::string> open = {};  // the name that has none
};

// The given sizes in one axis. Throws AxisError where no shape of an array completes them.
KnownSizes known_sizes(const AxisPattern& pattern, const AxisPattern::Axis& axis) {
  const auto refuse = [&](const std::string& what) { fail(to_string(pattern), what); };
  KnownSizes known;
  for (const std::string& name : axis.names) {
    const auto size = pattern.sizes.find(name);
    if (size == pattern.sizes.end()) {
      if (known.open)
        refuse("the sizes in '" + text_of(axis) +
               "' are open: give all but one in --sizes, such as --sizes " + name + "=16");
      known.open = name;
    } else if (__builtin_mul_overflow(known.product, size->second, &known.product)) {
      refuse("the sizes in '" + text_of(axis) + "' have a product that does not fit in 63 bits");
    }
  }
  if (known.open && known.product == 0)
    refuse("a size of 0 in '" + text_of(axis) + "' leaves that of '" + *known.open + "' open");
  return known;
}

// The names of a pattern with the extents that a shape gives them.
class Fitting {
 public:
  Fitting(const AxisPattern& pattern, std::span<const std::int64_t> shape)
      : text_(to_string(pattern)), pattern_(pattern), shape_(shape) {
    check_sizes(pattern);
  }

  PermutedShape permuted() {
    const auto others = std::ranges::count(pattern_.in, false, &AxisPattern::Axis::is_ellipsis);
    const auto named = static_cast<std::size_t>(others);
    const bool any_number = named != pattern_.in.size();
    if (any_number ? shape_.size() < named : shape_.size() != named)
      fail("it has " + std::string(any_number ? "at least " : "") + std::to_string(named) +
           " axes on the left, but the array is " + std::to_string(shape_.size()) + "-D (" +
           shape_text(shape_) + ')');
    for (const AxisPattern::Axis& axis : pattern_.in) {
      if (!axis.is_ellipsis) split(axis);
      for (std::size_t i = named; axis.is_ellipsis && i < shape_.size(); ++i)
        spread_.push_back(take_whole());
    }
    for (const AxisPattern::Axis& axis : pattern_.out) merge(axis);
    return std::move(made_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { app::fail(text_, what); }

  // The next axis of the shape as it is.
  int take_whole() {
    made_.parts.push_back(1);
    made_.shape.push_back(shape_[at_++]);
    return static_cast<int>(made_.shape.size()) - 1;
  }

  // Takes the next axis of the shape apart.
  void split(const AxisPattern::Axis& axis) {
    const std::int64_t extent = shape_[at_];
    const std::string which = "axis " + std::to_string(at_) + " of " + std::to_string(extent) +
                              " elements is '" + text_of(axis) + "', ";
    const auto [known, open] = known_sizes(pattern_, axis);
    if (open ? extent % known != 0 : extent != known)
      fail(which + (open ? "which is no multiple of " : "which has ") + std::to_string(known));
    for (const std::string& name : axis.names) {
      places_[name] = static_cast<int>(made_.shape.size());
      made_.shape.push_back(open == name ? extent / known : pattern_.sizes.find(name)->second);
    }
    made_.parts.push_back(axis.names.size());
    ++at_;
  }

  void merge(const AxisPattern::Axis& axis) {
    std::vector<int> merged;
    for (const std::string& name : axis.names)
      if (name == kEllipsis)
        merged.insert(merged.end(), spread_.begin(), spread_.end());
      else
        merged.push_back(places_.at(name));
    made_.axes.insert(made_.axes.end(), merged.begin(), merged.end());
    if (!axis.is_ellipsis) made_.out_shape.push_back(1);
    for (const int place : merged) {
      const std::int64_t extent = made_.shape[static_cast<std::size_t>(place)];
      if (axis.is_ellipsis)
        made_.out_shape.push_back(extent);
      else if (__builtin_mul_overflow(made_.out_shape.back(), extent, &made_.out_shape.back()))
        fail("'" + text_of(axis) + "' has more than 2^63 - 1 elements");
    }
  }

  std::string text_;
  const AxisPattern& pattern_;
  std::span<const std::int64_t> shape_;
  std::size_t at_ = 0;       // the next axis of the shape
  std::vector<int> spread_;  // the axes of the ellipsis
  std::map<std::string, int> places_;
  PermutedShape made_;
};

}  // namespace

AxisPattern parse_axis_pattern(std::string_view text) {
  constexpr std::string_view kArrow = "->";
  const std::size_t at = text.find(kArrow);
  if (at == text.npos)
    fail(text, std::string("it has no '->': write the axes of the input, '->', and those of the "
                           "output, such as ") +
                   kExample);
  if (const std::size_t second = text.find(kArrow, at + 1); second != text.npos)
    fail(text, "it has a second '->' at character " + std::to_string(second + 1));
  AxisPattern pattern;
  pattern.in = SideParser(text, 0, at, true).axes();
  pattern.out = SideParser(text, at + kArrow.size(), text.size(), false).axes();
  check_same_names(text, pattern);
  return pattern;
}

void check_sizes(const AxisPattern& pattern) {
  const std::vector<std::string> names = names_of(pattern.in);
  for (const auto& [name, size] : pattern.sizes)
    if (std::ranges::find(names, name) == names.end())
      fail(to_string(pattern), "--sizes gives '" + excerpt(name) + "', which is no axis of it");
  for (const AxisPattern::Axis& axis : pattern.in)
    if (!axis.is_ellipsis) known_sizes(pattern, axis);
}

AxisSizes parse_axis_sizes(std::string_view text) {
  AxisSizes sizes;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const std::string_view part = text.substr(begin, end - begin);
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string_view number = part.substr(std::min(equals + 1, part.size()));
    std::int64_t size = 0;
    const auto [rest, error] = std::from_chars(number.data(), number.data() + number.size(), size);
    if (!is_name(part.substr(0, equals)) || error != std::errc() ||
        rest != number.data() + number.size() || size < 0)
      throw AxisError("--sizes '" + excerpt(text) + "': '" + excerpt(part) +
                      "' is not NAME=SIZE, such as p=16,q=16");
    if (!sizes.emplace(part.substr(0, equals), size).second)
      throw AxisError("--sizes '" + excerpt(text) + "' has two sizes of '" +
                      excerpt(part.substr(0, equals)) + '\'');
    begin = end + 1;
  }
  return sizes;
}

std::string to_string(const AxisPattern& pattern) {
  std::string text;
  for (const AxisPattern::Axis& axis : pattern.in) text += text_of(axis) + ' ';
  text += "->";
  for (const AxisPattern::Axis& axis : pattern.out) text += ' ' + text_of(axis);
  return text;
}

PermutedShape permuted(const AxisPattern& pattern, std::span<const std::int64_t> shape) {
  return Fitting(pattern, shape).permuted();
}

}  // namespace xpose::app
