// Variants that fit a narrow column.
#include <algorithm>
#include <map>
#include <set>

#include "output/table.hpp"

namespace xpose::app {
namespace {

constexpr std::string_view kEllipsis = "...";

using Form = std::string (*)(const std::string& variant, std::size_t width);

std::string as_it_is(const std::string& variant, std::size_t /*width*/) { return variant; }

// Behind as many values as fit, at least one; else as it is.
std::string cut_behind_a_value(const std::string& variant, std::size_t width) {
  const std::size_t behind = kEllipsis.size() + 2;  // the comma, with it and the brace
  if (width < behind || width_of(variant) <= width) return variant;
  const std::size_t comma = variant.rfind(',', width - behind);
  if (comma == std::string::npos) return variant;
  return variant.substr(0, comma + 1) + std::string(kEllipsis) + '}';
}

std::string values_alone(const std::string& variant, std::size_t /*width*/) {
  const std::size_t brace = variant.find('{');
  std::string text = variant.substr(0, brace + 1);
  bool in_name = true;
  for (const char c : variant.substr(brace + 1)) {
    if (!in_name || c == '}') text += c;
    if (c == '=' || c == ',') in_name = c == ',';
  }
  return text;
}

std::string cut_anywhere(const std::string& variant, std::size_t width) {
  if (width_of(variant) <= width) return variant;
  return std::string(head_of(variant, width - std::min(width, kEllipsis.size()))) +
         std::string(kEllipsis);
}

// Whether all of a strategy's variants fit in this form, and differ where they differed.
bool serves(Form form, const std::set<std::string>& variants, std::size_t width) {
  std::set<std::string> texts;
  return std::ranges::all_of(variants, [&](const std::string& variant) {
    const std::string text = form(variant, width);
    return width_of(text) <= width && texts.insert(text).second;
  });
}

}  // namespace

std::vector<std::string> shortened(const std::vector<std::string>& variants, std::size_t width) {
  std::map<std::string, std::set<std::string>> strategies;
  for (const std::string& variant : variants)
    if (variant.ends_with('}')) strategies[variant.substr(0, variant.find('{'))].insert(variant);
  std::map<std::string, Form> forms;
  for (const auto& [strategy, all] : strategies) {
    forms[strategy] = cut_anywhere;
    for (const Form form : {as_it_is, cut_behind_a_value, values_alone})
      if (serves(form, all, width)) {
        forms[strategy] = form;
        break;
      }
  }
  std::vector<std::string> texts;
  for (const std::string& variant : variants) {
    const auto form = forms.find(variant.substr(0, variant.find('{')));
    texts.push_back(!variant.ends_with('}') || form == forms.end() ? variant
                                                                   : form->second(variant, width));
  }
  return texts;
}

}  // namespace xpose::app
