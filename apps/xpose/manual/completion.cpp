#include "manual/completion.hpp"

#include <algorithm>
#include <set>
#include <stdexcept>

namespace xpose::app {
namespace {

void offer(Completion& completion, const std::string& begin, const std::string& word,
           const std::string& about) {
  if (word.starts_with(begin)) completion.found.push_back({word, about});
}

// Where an option or an argument stands: the words of one command, without its name.
class Line {
 public:
  Line(CommandLine line, std::vector<std::string> words, const WordSources& sources)
      : line_(std::move(line)), words_(std::move(words)), sources_(sources) {}

  Completion complete() {
    const std::string last = words_.back();
    words_.pop_back();
    const std::size_t arguments = read_words();
    if (awaited_ != nullptr) return values(*awaited_, "", last);
    if (const std::size_t equals = last.find('='); last.starts_with("--") && equals != last.npos) {
      const OptionWords* const option = option_of(last.substr(0, equals));
      return option == nullptr || option->value.empty()
                 ? Completion{}
                 : values(*option, last.substr(0, equals + 1), last.substr(equals + 1));
    }
    if (last.starts_with('-') || arguments >= line_.arguments.size()) return options(last);
    return argument(line_.arguments[arguments], last);
  }

 private:
  const OptionWords* option_of(const std::string& word) const {
    const auto found = std::ranges::find_if(line_.options, [&](const OptionWords& option) {
      return word == "--" + option.name || (!option.letter.empty() && word == '-' + option.letter);
    });
    return found == line_.options.end() ? nullptr : &*found;
  }

  // Notes what is given, and an option that waits for its value. Returns the number of arguments.
  std::size_t read_words() {
    std::size_t arguments = 0;
    for (const std::string& word : words_) {
      if (awaited_ != nullptr) {
        if (awaited_->name == "plugins") plugin_folders_.push_back(word);
        awaited_ = nullptr;
        continue;
      }
      const std::size_t equals = word.find('=');
      const OptionWords* const option = option_of(word.substr(0, equals));
      if (option == nullptr) {
        arguments += word.starts_with('-') && word != "-" ? 0 : 1;
        continue;
      }
      given_.insert(option->name);
      if (equals == word.npos && !option->value.empty() && option->implied.empty())
        awaited_ = option;
      if (equals != word.npos && option->name == "plugins")
        plugin_folders_.push_back(word.substr(equals + 1));
    }
    return arguments;
  }

  Completion options(const std::string& begin) const {
    Completion completion;
    for (const OptionWords& option : line_.options)
      if (option.repeats || !given_.contains(option.name))
        offer(completion, begin, "--" + option.name, option.about);
    return completion;
  }

  // `before` is what stands before the value in the same word.
  Completion values(const OptionWords& option, const std::string& before,
                    const std::string& begin) const {
    const ValueKind kind =
        option.name == "strategy" ? ValueKind::strategy : value_kind(option.value);
    return named(kind, before, begin);
  }

  Completion argument(const OptionWords& argument, const std::string& begin) const {
    const ValueKind kind = argument.name == "strategy" ? ValueKind::strategy
                           : argument.name == "folder" ? ValueKind::folder
                                                       : ValueKind::file;
    return named(kind, "", begin);
  }

  Completion named(ValueKind kind, const std::string& before, const std::string& begin) const {
    Completion completion;
    std::vector<NamedWord> all;
    switch (kind) {
      case ValueKind::file:
        completion.kind = Completion::files;
        break;
      case ValueKind::folder:
        completion.kind = Completion::folders;
        break;
      case ValueKind::device:
        all = sources_.devices(begin.starts_with("cuda"));
        break;
      case ValueKind::strategy:
        all = sources_.strategies(plugin_folders_);
        break;
      case ValueKind::free:
        break;
    }
    for (const NamedWord& word : all)
      offer(completion, before + begin, before + word.word, word.about);
    return completion;
  }

  CommandLine line_;
  std::vector<std::string> words_;
  const WordSources& sources_;
  const OptionWords* awaited_ = nullptr;  // has no value yet
  std::set<std::string> given_;
  std::vector<std::string> plugin_folders_;
};

// Names of commands, and of what may stand in their place.
Completion first_word(const std::string& begin, const WordSources& sources, bool after_help) {
  Completion completion;
  for (const auto& [name, command] : sources.commands)
    if (!command.summary.empty()) offer(completion, begin, name, command.summary);
  if (after_help) return completion;
  offer(completion, begin, "help", "explain a command");
  if (begin.starts_with('-')) {
    offer(completion, begin, "--help", "list the commands");
    offer(completion, begin, "--version", "print the versions of library, contracts and compilers");
  }
  return completion;
}

}  // namespace

ValueKind value_kind(const std::string& value_name) {
  static const std::map<std::string, ValueKind> kinds = {
      {"FILE", ValueKind::file},        {"FILE|-", ValueKind::file},
      {"DIR", ValueKind::folder},       {"D", ValueKind::device},
      {"host|cuda", ValueKind::device}, {"S[{A=V,...}]", ValueKind::strategy},
      {"A,B,...", ValueKind::free},                              // axes
      {"BYTES", ValueKind::free},       {"I", ValueKind::free},  // an index
      {"N", ValueKind::free},           {"NAME", ValueKind::free},
      {"P", ValueKind::free},  // a pattern
      {"GBIT", ValueKind::free},        {"PLACE", ValueKind::free},
      {"P=N,...", ValueKind::free},     {"RxC", ValueKind::free},
      {"S", ValueKind::free},                                    // seconds
      {"SIZE", ValueKind::free},        {"T", ValueKind::free},  // a dtype
      {"TEXT", ValueKind::free},
  };
  const auto kind = kinds.find(value_name);
  if (kind == kinds.end())
    throw std::logic_error("the value '" + value_name +
                           "' of an option is not known to completion: add it to value_kind()");
  return kind->second;
}

Completion complete_words(const std::vector<std::string>& words, const WordSources& sources) {
  if (words.empty()) return {};
  if (words.size() == 1) return first_word(words[0], sources, false);
  if (words[0] == "help")
    return words.size() == 2 ? first_word(words[1], sources, true) : Completion{};
  const auto command = sources.commands.find(words[0]);
  if (command == sources.commands.end() || command->second.summary.empty()) return {};
  if (command->second.actions.empty())
    return Line(command->second.line(), {words.begin() + 1, words.end()}, sources).complete();
  if (words.size() == 2) {
    Completion completion;
    for (const auto& [name, line] : command->second.actions)
      if (name.starts_with(words[1])) completion.found.push_back({name, line().about});
    return completion;
  }
  const auto action = command->second.actions.find(words[1]);
  if (action == command->second.actions.end()) return {};
  return Line(action->second(), {words.begin() + 2, words.end()}, sources).complete();
}

}  // namespace xpose::app
