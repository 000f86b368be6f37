#include "report/report.hpp"

#include <stdexcept>

#include "output/explain_json.hpp"
#include "output/markup.hpp"
#include "output/table.hpp"
#include "output/tune_table.hpp"
#include "report/report_files.hpp"

namespace xpose::app {
namespace {

// JSON inside a <script>: no "</script" nor "<!--", whatever the names of a plugin hold.
std::string embedded(const Json& document) {
  std::string safe;
  for (const char c : text_of(document))
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  return safe;
}

struct Filling {
  std::string_view mark;  // as the page has it, once
  std::string text;
};

// The page with each mark replaced; the fillings are not searched for marks.
std::string filled(std::string_view page, std::initializer_list<Filling> fillings) {
  std::string made;
  for (const Filling& filling : fillings) {
    const std::size_t at = page.find(filling.mark);
    if (at == std::string_view::npos)
      throw std::logic_error("the report's page lacks " + std::string(filling.mark));
    made.append(page.substr(0, at)).append(filling.text);
    page.remove_prefix(at + filling.mark.size());
  }
  return made.append(page);
}

std::string joined(std::initializer_list<std::string_view> scripts) {
  std::string text;
  for (const std::string_view script : scripts) text.append(script);
  return text;
}

}  // namespace

Json tune_report_json(const TuneReport& report, const DeviceInfo& device,
                      std::span<const TuneReport> sizes, std::span<const VariantAccount> accounts) {
  Json json;
  json["schema"] = "xpose.tune_report/1";
  json["device"] = to_json(device);
  json["tune"] = to_json(report);
  json["sizes"] = Json::array();
  for (const TuneReport& size : sizes) json["sizes"].push_back(to_json(size));
  json["accounts"] = Json::array();
  for (const VariantAccount& one : accounts)
    json["accounts"].push_back({{"variant", to_string(one.variant)},
                                {"on", to_string(one.problem)},
                                {"account", to_json(one.account)}});
  return json;
}

std::string tune_report(const TuneReport& report, const DeviceInfo& device,
                        std::span<const TuneReport> sizes, std::span<const VariantAccount> accounts,
                        const std::string& stated) {
  using namespace report_files;
  return filled(kTuneHtml,
                {{"{{title}}", xml_text("xpose tune: " + stated)},
                 {"{{style}}", std::string(kReportCss)},
                 {"{{problem}}", xml_text(stated + ", " + device.name)},
                 {"{{headline}}", xml_text(sentence(report))},
                 {"{{above}}", xml_text(kAboveTheRoof)},
                 {"{{data}}", embedded(tune_report_json(report, device, sizes, accounts))},
                 {"{{script}}", joined({kReportJs, kRaceJs, kTuneJs})}});
}

std::string explain_report(const Explanation& explanation) {
  using namespace report_files;
  const std::string variant = to_string(explanation.variant);
  return filled(
      kExplainHtml,
      {{"{{title}}", xml_text("xpose explain: " + variant)},
       {"{{style}}", std::string(kReportCss)},
       {"{{problem}}", xml_text(to_string(explanation.problem) + ", " + explanation.launch)},
       {"{{headline}}", xml_text(variant)},
       {"{{limiter}}", xml_text(explanation.limiter)},
       {"{{data}}", embedded(to_json(explanation))},
       {"{{script}}", joined({kReportJs, kWarpJs, kExplainJs})}});
}

}  // namespace xpose::app
