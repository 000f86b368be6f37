#include "manual/page.hpp"

#include <algorithm>
#include <cctype>
#include <span>
#include <sstream>

namespace xpose::app {
namespace {

struct Told {
  const char* name;
  const char* about;
};

constexpr Told kExitCodes[] = {
    {"0", "done"},
    {"1", "failed: a file, a device, memory"},
    {"2", "wrong usage, such as axes that no array has"},
    {"3", "verification failed, or a finding of the simulator"},
    {"4", "no eligible strategy"},
    {"77", "`check`: skipped, for want of a device"},
    {"128 + N", "ended by signal N; 130 is an interrupt"},
};

constexpr Told kEnvironment[] = {
    {"XPOSE_PLUGIN_PATH",
     "folders of plugins, separated by colons, instead of the installed one; `--plugins` adds one"},
    {"XPOSE_LOCK_FOLDER",
     "absolute folder of the locks that keep measurements apart, instead of `/run/lock` or `/tmp`: "
     "one that containers share; a relative one is told of and not used"},
    {"XPOSE_CACHE",
     "file of decisions, instead of `xpose/trials.sqlite` in `$XDG_CACHE_HOME` or `~/.cache`"},
    {"XPOSE_TRIAL", "program of the worker"},
    {"XPOSE_POLICY",
     "`measure`, `estimate` or `cached_only`, in place of the policy of every choice; with "
     "`estimate` no measurement counts"},
    {"XPOSE_TABLE_PATH", "folders of tables, separated by colons, instead of the installed one"},
    {"TMPDIR", "folder for pipes that `run` stores"},
    {"COLUMNS`, `TERM`, `NO_COLOR", "width of tables; no escapes for `dumb` or a set `NO_COLOR`"},
};

std::string bold(std::string_view text) { return "\\fB" + roff(text) + "\\fR"; }
std::string italic(std::string_view text) { return "\\fI" + roff(text) + "\\fR"; }

// A sentence in which `this` is bold.
std::string marked(std::string_view text) {
  std::string out;
  for (bool is_code = false; !text.empty(); is_code = !is_code) {
    const std::string_view part = text.substr(0, text.find('`'));
    out += is_code ? bold(part) : roff(part);
    text.remove_prefix(std::min(text.size(), part.size() + 1));
  }
  return out;
}

std::string title(const std::string& name, const std::string& version) {
  std::string upper = name;
  for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  return ".\\\" Made from the command's own descriptions by xpose manual.\n.TH " + roff(upper) +
         " 1 \"\" \"xpose " + roff(version) + "\" \"User Commands\"\n.SH NAME\n" + roff(name) +
         " \\- ";
}

// "xpose tune --shape RxC [options]": what is typed as it is in bold, what stands for more in
// italics.
std::string usage_line(const std::string& usage) {
  std::istringstream words(usage);
  std::string line;
  for (std::string word; words >> word;) {
    const bool as_is = std::islower(static_cast<unsigned char>(word[0])) != 0 || word[0] == '-';
    if (!line.empty()) line += ' ';
    line += word == "[options]" ? "[" + italic("options") + "]" : as_is ? bold(word) : italic(word);
  }
  return line;
}

std::string option_head(const OptionWords& option) {
  std::string head = option.letter.empty() ? "" : bold("-" + option.letter) + ", ";
  head += bold("--" + option.name);
  if (option.value.empty()) return head;
  return head +
         (option.implied.empty() ? " " + italic(option.value) : "[=" + italic(option.value) + "]");
}

// A description of the help as sentences.
std::string described(const OptionWords& option) {
  std::string text = marked(option.about) + '.';
  if (!option.implied.empty())
    text += " Alone it stands for " + bold("--" + option.name + "=" + option.implied) + '.';
  if (!option.standard.empty()) text += " Default: " + bold(option.standard) + '.';
  return text;
}

std::string options_of(const CommandLine& line) {
  std::string text;
  for (const OptionWords& option : line.options)
    text += ".TP\n" + option_head(option) + '\n' + described(option) + '\n';
  return text;
}

std::string arguments_of(const CommandLine& line) {
  std::string text;
  for (const OptionWords& argument : line.arguments) {
    std::string upper = argument.name;
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    text += ".TP\n" + italic(upper) + '\n' + marked(argument.about) + ".\n";
  }
  return text;
}

std::string list_of(const char* heading, std::span<const Told> rows) {
  std::string text = std::string(".SH ") + heading + '\n';
  for (const Told& row : rows)
    text += ".TP\n" + marked('`' + std::string(row.name) + '`') + '\n' + marked(row.about) + ".\n";
  return text;
}

}  // namespace

std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if ((c == '.' || c == '\'') && (out.empty() || out.back() == '\n')) out += "\\&";
    if (c == '\\')
      out += "\\e";
    else if (c == '-')
      out += "\\-";
    else if (c == '\'')
      out += "\\(aq";
    else if (c == '^')
      out += "\\(ha";
    else if (c == '~')
      out += "\\(ti";
    else
      out += c;
  }
  return out;
}

std::string command_page(const std::string& name, const std::string& summary,
                         const std::vector<ManualPart>& parts, const std::string& version) {
  std::string page = title("xpose-" + name, version) + roff(summary) + "\n.SH SYNOPSIS\n";
  for (const ManualPart& part : parts)
    page += (&part == parts.data() ? "" : ".br\n") + usage_line(part.line.usage) + '\n';
  if (parts.size() == 1) {
    page += ".SH DESCRIPTION\n" + marked(parts[0].line.about) + '\n';
    if (const std::string text = arguments_of(parts[0].line); !text.empty())
      page += ".SH ARGUMENTS\n" + text;
    page += ".SH OPTIONS\n" + options_of(parts[0].line);
  } else {
    page += ".SH ACTIONS\n";
    for (const ManualPart& part : parts)
      page += ".SS " + roff(part.name) + '\n' + marked(part.line.about) + '\n' +
              arguments_of(part.line) + options_of(part.line);
  }
  return page + ".SH SEE ALSO\n" + bold("xpose") +
         "(1) has the exit status, the environment and the files.\n";
}

std::string overview_page(const std::vector<std::pair<std::string, std::string>>& commands,
                          const std::string& version) {
  std::string page = title("xpose", version) +
                     "transposes matrices and permutes the axes of arrays as fast as memory "
                     "allows\n.SH SYNOPSIS\n" +
                     bold("xpose") + ' ' + italic("COMMAND") + " [" + italic("options") +
                     "]\n.br\n" + bold("xpose help") + " [" + italic("COMMAND") + "]\n.br\n" +
                     bold("xpose --version") +
                     "\n.SH DESCRIPTION\n"
                     "Plugins offer strategies. xpose tries them on the problem in hand, verifies "
                     "each result, and keeps the fastest that is right. The choice is remembered.\n"
                     ".SH COMMANDS\n";
  for (const auto& [name, summary] : commands)
    page += ".TP\n" + bold("xpose-" + name) + "(1)\n" + roff(summary) + ".\n";
  page += list_of("EXIT STATUS", kExitCodes) + list_of("ENVIRONMENT", kEnvironment);
  page += ".PP\nA privileged process ignores the first four.\n.SH FILES\n";
  for (const auto& [file, about] :
       {Told{"~/.cache/xpose/trials.sqlite", "the user's remembered decisions"},
        Told{"/var/lib/xpose/trials.sqlite", "decisions for all users, read beneath the user's"}})
    page += ".TP\n" + italic(file) + '\n' + roff(about) + ".\n";
  page += ".SH SEE ALSO\n";
  for (const auto& [name, summary] : commands)
    page += bold("xpose-" + name) + "(1)" + (name == commands.back().first ? "\n" : ",\n");
  return page;
}

}  // namespace xpose::app
