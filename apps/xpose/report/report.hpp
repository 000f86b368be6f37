// The reports: one self-contained HTML page each, which holds its data as JSON and draws itself
// without a network. Their pages, styles and scripts are the files of report/.
#pragma once

#include <span>
#include <string>
#include <vector>
#include <xpose/explain.hpp>

#include "output/json.hpp"

namespace xpose::app {

// The simulator's account of a variant that a tune has tried.
struct VariantAccount {
  Variant variant;
  Problem problem;  // that the simulator ran, which may be smaller than the tune's
  AccessAccount account;
};

// The data of a tune's page: "xpose.tune_report/1", in which "tune" is the document of --json.
Json tune_report_json(const TuneReport& report, const DeviceInfo& device,
                      std::span<const TuneReport> sizes, std::span<const VariantAccount> accounts);

// The page of a tune. `stated`: its problem in the caller's words. `sizes`: the same problem at
// other sizes, of which one size may come in several parts; `accounts`: may be empty.
std::string tune_report(const TuneReport& report, const DeviceInfo& device,
                        std::span<const TuneReport> sizes, std::span<const VariantAccount> accounts,
                        const std::string& stated);

// The page of one explanation; embeds the document of its --json.
std::string explain_report(const Explanation& explanation);

}  // namespace xpose::app
