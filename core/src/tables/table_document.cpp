#include "tables/table_document.hpp"

#include <xpose/plugin.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

namespace xpose {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "xpose.table/1";
constexpr std::string_view kHostClass = ", cc 0, ";  // as key_of() has it, before the processors
constexpr std::size_t kMostRows = 20'000;
constexpr std::size_t kMostText = 4096;  // of a name or a key
constexpr std::size_t kMostDepth = 8;
// A variant that takes longer than this times the winner's time says little about another build.
constexpr double kWorthTrying = 1.5;

// ---------------------------------------------------------------------------------------- reading

// A JSON value. Its end takes no memory, as that of nlohmann's does, so that a table may be given
// up where none is left.
struct Node {
  enum class Kind { none, boolean, whole, text, list, object } kind = Kind::none;
  std::int64_t whole = 0;  // 0 or 1 of a boolean
  std::string text = {};
  std::vector<std::pair<std::string, Node>> children = {};  // without names in a list
};

// Makes nodes of what the parser sees.
class Reader : public nlohmann::json_sax<Json> {
 public:
  explicit Reader(Node& top) : top_(top) {}
  std::size_t fault() const { return fault_; }  // the byte that is no JSON

  bool null() override { return put({}); }
  bool boolean(bool value) override { return put({Node::Kind::boolean, value ? 1 : 0}); }
  bool number_integer(std::int64_t value) override { return put({Node::Kind::whole, value}); }
  bool number_unsigned(std::uint64_t value) override {
    if (!std::in_range<std::int64_t>(value)) return put({});
    return put({Node::Kind::whole, static_cast<std::int64_t>(value)});
  }
  bool number_float(double /*value*/, const std::string& /*digits*/) override { return put({}); }
  bool string(std::string& value) override { return put({Node::Kind::text, 0, std::move(value)}); }
  bool binary(Json::binary_t& /*value*/) override { return put({}); }
  bool start_object(std::size_t /*size*/) override { return open({Node::Kind::object}); }
  bool start_array(std::size_t /*size*/) override { return open({Node::Kind::list}); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(std::string& name) override {
    name_ = std::move(name);
    return true;
  }
  bool parse_error(std::size_t byte, const std::string& /*token*/,
                   const nlohmann::detail::exception& /*error*/) override {
    fault_ = byte;
    return false;
  }

 private:
  Node& place(Node node) {
    if (open_.empty()) return top_ = std::move(node);
    return open_.back()->children.emplace_back(std::move(name_), std::move(node)).second;
  }
  bool put(Node node) {
    place(std::move(node));
    return true;
  }
  bool open(Node node) {
    if (open_.size() >= kMostDepth)
      throw Error(ErrorKind::failed,
                  "expected at most " + std::to_string(kMostDepth) + " brackets to be open");
    open_.push_back(&place(std::move(node)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Node& top_;
  std::vector<Node*> open_;  // whose children are being read; only the last gets more
  std::string name_;
  std::size_t fault_ = 0;
};

Node parsed(std::string_view document) {
  if (document.size() > kMostTableBytes)
    throw Error(ErrorKind::failed,
                "it has more than " + std::to_string(kMostTableBytes >> 20) + " MiB");
  Node top;
  Reader reader(top);
  if (!Json::sax_parse(document, &reader))
    throw Error(ErrorKind::failed,
                "expected JSON, and byte " + std::to_string(reader.fault()) + " is none");
  return top;
}

// A value and its JSON pointer.
class Value {
 public:
  Value(const Node& node, std::string pointer) : node_(node), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(ErrorKind::failed, "at " + (pointer_.empty() ? "the top" : one_line(pointer_)) +
                                       ": expected " + expected);
  }
  Value field(const char* name) const {
    const auto found =
        std::ranges::find(node_.children, name, &std::pair<std::string, Node>::first);
    if (node_.kind != Node::Kind::object || found == node_.children.end())
      refuse("an object with the field \"" + std::string(name) + '"');
    return {found->second, pointer_ + '/' + name};
  }
  const std::string& text() const {
    if (node_.kind != Node::Kind::text || node_.text.empty() || node_.text.size() > kMostText)
      refuse("a text of 1 to " + std::to_string(kMostText) + " bytes");
    return node_.text;
  }
  bool boolean() const {
    if (node_.kind != Node::Kind::boolean) refuse("true or false");
    return node_.whole != 0;
  }
  std::int64_t whole() const {
    if (node_.kind != Node::Kind::whole) refuse("a whole number of 64 bits");
    return node_.whole;
  }
  template <class Read>
  void each(std::size_t least, std::size_t most, const Read& read) const {
    const std::size_t size = node_.children.size();
    if (node_.kind != Node::Kind::list || size < least || size > most)
      refuse("a list of " + std::to_string(least) + " to " + std::to_string(most) + " entries");
    for (std::size_t i = 0; i < size; ++i)
      read(Value(node_.children[i].second, pointer_ + '/' + std::to_string(i)));
  }
  template <class Read>
  void each_field(std::size_t most, const Read& read) const {
    if (node_.kind != Node::Kind::object || node_.children.size() > most)
      refuse("an object of at most " + std::to_string(most) + " fields");
    for (const auto& [name, value] : node_.children)
      read(name, Value(value, pointer_ + '/' + name));
  }

 private:
  const Node& node_;
  std::string pointer_;
};

TableVariant variant_of(const Value& value) {
  TableVariant read{value.field("plugin").text(), value.field("version").text(), {}};
  read.variant.strategy = value.field("strategy").text();
  value.field("config").each_field(XPOSE_MAX_AXES, [&](const std::string& axis, const Value& one) {
    read.variant.config.push_back({axis, one.whole()});
  });
  return read;
}

TableRow row_of(const Value& value) {
  TableRow row;
  row.device = value.field("device").text();
  row.problem = value.field("problem").text();
  row.warm = value.field("warm").boolean();
  value.field("variants").each(1, kMostTableVariants, [&](const Value& one) {
    row.variants.push_back(variant_of(one));
  });
  return row;
}

// ---------------------------------------------------------------------------------------- writing

struct Written {
  const Decision* decision;
  std::vector<std::pair<TableVariant, double>> variants;  // with seconds, 0: unknown
};

const PluginInfo* offering(const std::vector<PluginInfo>& plugins, const std::string& digest,
                           const std::string& strategy) {
  const auto found = std::ranges::find_if(plugins, [&](const PluginInfo& plugin) {
    return plugin.digest == digest &&
           std::ranges::find(plugin.strategies, strategy, &StrategyInfo::name) !=
               plugin.strategies.end();
  });
  return found == plugins.end() ? nullptr : &*found;
}

// The winner, then the fastest config of each other strategy, of plugins that are here.
Written written(const Decision& decision, const std::vector<PluginInfo>& plugins) {
  std::vector<const CachedTrial*> right;
  for (const CachedTrial& trial : decision.trials)
    if (trial.role == Role::transpose && trial.verdict == Verdict::ok && trial.seconds > 0)
      right.push_back(&trial);
  std::ranges::stable_sort(right, {}, [&](const CachedTrial* trial) {
    return std::pair(trial->variant != decision.winner, trial->seconds);
  });
  Written row{&decision, {}};
  for (const CachedTrial* trial : right) {
    if (row.variants.size() == kMostTableVariants ||
        trial->seconds > kWorthTrying * right.front()->seconds)
      break;
    const PluginInfo* plugin = offering(plugins, trial->digest, trial->variant.strategy);
    const bool is_new = std::ranges::none_of(row.variants, [&](const auto& known) {
      return known.first.variant.strategy == trial->variant.strategy;
    });
    if (plugin != nullptr && is_new)
      row.variants.push_back({{plugin->name, plugin->version, trial->variant}, trial->seconds});
  }
  return row;
}

std::int64_t threads_of(const CacheKey& key) {
  const std::size_t found = key.policy.rfind('=');
  return found == std::string::npos ? 0 : std::atoll(key.policy.c_str() + found + 1);
}

bool is_warm(const CacheKey& key) { return key.policy.find("warm") != std::string::npos; }

Json json_of(const Written& row) {
  Json variants = Json::array();
  for (const auto& [one, seconds] : row.variants) {
    Json config = Json::object();
    for (const AxisValue& value : one.variant.config) config[value.axis] = value.value;
    variants.push_back({{"strategy", one.variant.strategy},
                        {"config", config},
                        {"plugin", one.plugin},
                        {"version", one.version}});
    if (row.decision->roof_seconds > 0)
      variants.back()["share_of_roof"] =
          std::round(1000 * row.decision->roof_seconds / seconds) / 1000;
  }
  Json json = {{"device", table_device(row.decision->key)},
               {"problem", row.decision->key.problem},
               {"warm", is_warm(row.decision->key)}};
  if (is_of_host(row.decision->key)) json["threads"] = threads_of(row.decision->key);
  json["variants"] = std::move(variants);
  return json;
}

}  // namespace

std::string table_device(const CacheKey& key) {
  return is_of_host(key) ? key.device.substr(0, key.device.rfind(kHostClass)) : key.device;
}

bool is_of_host(const CacheKey& key) { return key.device.rfind(kHostClass) != std::string::npos; }

std::vector<TableRow> table_rows(std::string_view document) {
  const Node json = parsed(document);
  const Value top(json, "");
  if (top.field("schema").text() != kSchema)
    top.field("schema").refuse('"' + std::string(kSchema) +
                               "\", a document of `xpose cache export --table`");
  std::vector<TableRow> rows;
  top.field("rows").each(0, kMostRows, [&](const Value& one) { rows.push_back(row_of(one)); });
  return rows;
}

Table table_of(const CacheContents& contents, const std::vector<PluginInfo>& plugins,
               const std::string& note) {
  // Of several decisions for one row that with the most threads, and of those the newest.
  std::map<std::tuple<std::string, std::string, bool>, Written> rows;
  std::size_t unknown = 0;
  for (const Decision& decision : contents.decisions) {
    Written row = written(decision, plugins);
    if (row.variants.empty()) {
      ++unknown;
      continue;
    }
    const auto rank = [](const Decision& one) { return std::pair(threads_of(one.key), one.when); };
    const auto [known, is_new] = rows.try_emplace(
        {table_device(decision.key), decision.key.problem, is_warm(decision.key)}, row);
    if (!is_new && rank(*known->second.decision) <= rank(decision)) known->second = std::move(row);
  }
  Json json = {{"schema", kSchema}, {"xpose", version()}, {"note", note}, {"rows", Json::array()}};
  for (const auto& [name, row] : rows) json["rows"].push_back(json_of(row));
  return {json.dump(1, ' ', true, Json::error_handler_t::replace) + '\n', rows.size(), unknown};
}

}  // namespace xpose
