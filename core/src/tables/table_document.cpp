#include "tables/table_document.hpp"

#include <xpose/plugin.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <tuple>
#include <utility>

namespace xpose {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kSchema = "xpose.table/1";
constexpr std::string_view kHostClass = ", cc 0, ";  // as key_of() has it, before the processors
constexpr std::size_t kMostRows = 20'000;
constexpr std::size_t kMostText = 4096;  // of a name or a key
constexpr int kMostDepth = 8;
// A variant that takes longer than this times the winner's time says little about another build.
constexpr double kWorthTrying = 1.5;

// ---------------------------------------------------------------------------------------- reading

// A value and its JSON pointer.
class Value {
 public:
  Value(const Json& json, std::string pointer) : json_(json), pointer_(std::move(pointer)) {}

  [[noreturn]] void refuse(const std::string& expected) const {
    throw Error(ErrorKind::failed, "at " + (pointer_.empty() ? "the top" : one_line(pointer_)) +
                                       ": expected " + expected);
  }
  Value field(const char* name) const {
    if (!json_.is_object() || !json_.contains(name))
      refuse("an object with the field \"" + std::string(name) + '"');
    return {json_[name], pointer_ + '/' + name};
  }
  std::string text() const {
    if (!json_.is_string() || json_.get_ref<const std::string&>().empty() ||
        json_.get_ref<const std::string&>().size() > kMostText)
      refuse("a text of 1 to " + std::to_string(kMostText) + " bytes");
    return json_.get<std::string>();
  }
  bool boolean() const {
    if (!json_.is_boolean()) refuse("true or false");
    return json_.get<bool>();
  }
  std::int64_t whole() const {
    if (!json_.is_number_integer() ||
        (json_.is_number_unsigned() &&
         json_.get<std::uint64_t>() > std::uint64_t{std::numeric_limits<std::int64_t>::max()}))
      refuse("a whole number of 64 bits");
    return json_.get<std::int64_t>();
  }
  template <class Read>
  void each(std::size_t least, std::size_t most, const Read& read) const {
    if (!json_.is_array() || json_.size() < least || json_.size() > most)
      refuse("a list of " + std::to_string(least) + " to " + std::to_string(most) + " entries");
    for (std::size_t i = 0; i < json_.size(); ++i)
      read(Value(json_[i], pointer_ + '/' + std::to_string(i)));
  }
  template <class Read>
  void each_field(std::size_t most, const Read& read) const {
    if (!json_.is_object() || json_.size() > most)
      refuse("an object of at most " + std::to_string(most) + " fields");
    for (const auto& [name, value] : json_.items()) read(name, Value(value, pointer_ + '/' + name));
  }

 private:
  const Json& json_;
  std::string pointer_;
};

Json parsed(std::string_view document) {
  if (document.size() > kMostTableBytes)
    throw Error(ErrorKind::failed,
                "it has more than " + std::to_string(kMostTableBytes >> 20) + " MiB");
  try {
    return Json::parse(document, [](int depth, Json::parse_event_t, const Json&) {
      if (depth > kMostDepth)
        throw Error(ErrorKind::failed,
                    "expected at most " + std::to_string(kMostDepth) + " brackets to be open");
      return true;
    });
  } catch (const Json::exception& error) {
    const auto* const syntax = dynamic_cast<const Json::parse_error*>(&error);
    throw Error(
        ErrorKind::failed,
        "expected JSON" +
            (syntax == nullptr ? "" : ", and byte " + std::to_string(syntax->byte) + " is none"));
  }
}

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
  const Json json = parsed(document);
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
