// A command line, an argument a line: through the options of the real subcommands into a library
// that only looks at what it is asked for. No file is written.
#include <algorithm>
#include <functional>
#include <iostream>
#include <numeric>
#include <sstream>

#include "axes/axis_order.hpp"
#include "commands/commands.hpp"
#include "fuzz.hpp"

namespace {

using namespace xpose;
using fuzz::require;

app::Arguments lines_of(std::string_view text) {
  app::Arguments lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.emplace_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

std::string shape_text(const std::vector<std::int64_t>& shape) { return app::shape_text(shape); }

std::vector<std::int64_t> parse_shape(const std::string& text) { return app::parse_shape(text, 1); }

// What a parser takes can be printed, and is taken the same again.
template <class Value, class Text>
void check_stable(const std::string& text, Value (*parse)(Text),
                  std::string (*print)(const Value&)) {
  Value value;
  try {
    value = parse(text);
  } catch (const app::UsageError&) {
    return;
  } catch (const app::AxisError&) {
    return;
  } catch (const Error&) {
    return;
  }
  require(parse(print(value)) == value, "a value that is parsed and printed is parsed the same");
}

// A pattern that fits an array permutes its axes and keeps its elements.
void check_fit(const std::string& text, const std::vector<std::int64_t>& shape) {
  app::PermutedShape made;
  try {
    made = app::permuted(app::parse_axis_pattern(text), shape);
  } catch (const app::AxisError& error) {
    require(*error.what() != '\0', "a pattern that does not fit is explained");
    return;
  }
  std::vector<int> axes = made.axes;
  std::ranges::sort(axes);
  for (std::size_t i = 0; i < axes.size(); ++i)
    require(axes[i] == static_cast<int>(i), "each axis is named once");
  require(axes.size() == made.shape.size(), "no axis is left out");
  const auto elements = [](const std::vector<std::int64_t>& extents) {
    return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
  };
  require(elements(made.shape) == elements(shape), "an axis is split into its elements");
  require(elements(made.out_shape) == elements(shape), "the output has the input's elements");
}

using Command = int (*)(const app::Arguments&);

// A command ends in an exit code, wrong usage or an error of the library, and in nothing else.
void check(Command command, const app::Arguments& arguments) {
  try {
    const int code = command(arguments);
    require(code == app::done || code == app::no_strategy, "a command ends in a known exit code");
  } catch (const app::UsageError& error) {
    require(*error.what() != '\0', "wrong usage is explained");
  } catch (const Error& error) {
    require(*error.what() != '\0', "an error is explained");
  }
}

// Holds back what the commands print.
class Muted {
 public:
  Muted() : out_(std::cout.rdbuf(text_.rdbuf())), err_(std::cerr.rdbuf(text_.rdbuf())) {}
  Muted(const Muted&) = delete;  // restores once
  Muted& operator=(const Muted&) = delete;
  ~Muted() {
    std::cout.rdbuf(out_);
    std::cerr.rdbuf(err_);
  }

 private:
  std::ostringstream text_;
  std::streambuf* out_;
  std::streambuf* err_;
};

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const app::Arguments arguments = lines_of(fuzz::text_of(data, size));
  for (const std::string& argument : arguments) {
    check_stable(argument, parse_shape, shape_text);
    check_stable<Variant>(argument, parse_variant, to_string);
    check_stable<app::AxisPattern>(argument, app::parse_axis_pattern, app::to_string);
    for (const auto& shape : {std::vector<std::int64_t>{}, {6}, {4, 1}, {2, 3, 0, 5}})
      check_fit(argument, shape);
  }
  const Muted muted;
  for (const Command command : {app::tune, app::run, app::plugins}) check(command, arguments);
  return 0;
}
