#include <nlohmann/json.hpp>

#include "xpose/xpose.hpp"

namespace xpose {
namespace {

using Json = nlohmann::ordered_json;

Json document_of(const Config& config) {
  Json json = Json::object();
  for (const AxisValue& value : config) json[value.axis] = value.value;
  return json;
}

Json document_of(const Problem& problem) {
  Json json;
  json["rows"] = problem.rows;
  json["cols"] = problem.cols;
  json["element_bytes"] = problem.element_bytes;
  json["in_ld"] = problem.in_ld;
  json["out_ld"] = problem.out_ld;
  json["batch"] = Json::array();
  for (const BatchDim& dim : problem.batch)
    json["batch"].push_back(
        {{"extent", dim.extent}, {"in_stride", dim.in_stride}, {"out_stride", dim.out_stride}});
  json["in_place"] = problem.in_place;
  json["in_alignment"] = problem.in_alignment;
  json["out_alignment"] = problem.out_alignment;
  json["device"] = to_string(problem.device);
  return json;
}

Json trial_json(const Trial& trial, const TuneReport& report) {
  Json json;
  json["variant"] = to_string(trial.variant);
  json["strategy"] = trial.variant.strategy;
  json["config"] = document_of(trial.variant.config);
  json["role"] = to_string(trial.role);
  json["launch"] = trial.launch;
  json["verdict"] = to_string(trial.verdict);
  json["detail"] = trial.detail;
  json["prior_rank"] = trial.prior_rank;
  json["predicted_share"] =
      trial.predicted_share == 0 ? Json(nullptr) : Json(trial.predicted_share);
  json["discount"] = trial.discount == 0 ? Json(nullptr) : Json(trial.discount);
  if (trial.timing) {
    const double seconds = trial.timing->median;
    json["seconds"] = seconds;
    json["spread"] = trial.timing->spread;
    json["samples"] = trial.timing->samples;
    json["rounds"] = trial.rounds;  // NaN becomes null
    json["gb_per_s"] = static_cast<double>(report.bytes) / seconds * 1e-9;
    if (report.roof) json["share_of_roof"] = report.trials[*report.roof].timing->median / seconds;
  }
  return json;
}

Json report_json(const TuneReport& report) {
  Json json;
  json["schema"] = "xpose.tune/1";
  json["xpose"] = version();
  json["problem"] = document_of(report.problem);
  json["bytes"] = report.bytes;
  const auto variant = [&](const std::optional<std::size_t>& index) {
    return index ? Json(to_string(report.trials[*index].variant)) : Json(nullptr);
  };
  json["winner"] = variant(report.winner);
  json["runner_up"] = variant(report.runner_up);
  json["estimate"] = variant(report.estimate);
  json["margin"] = report.margin;
  json["roof"] = variant(report.roof);
  json["rounds"] = report.rounds;
  json["discarded_rounds"] = report.discarded_rounds;
  json["untried"] = report.untried;
  json["untried_strategies"] = report.untried_strategies;
  json["provisional"] = !report.untried_rivals.empty();
  json["untried_rivals"] = report.untried_rivals;
  json["seconds"] = report.seconds;
  json["interrupted"] = report.interrupted;
  json["stand_in"] = report.stand_in ? document_of(*report.stand_in) : Json(nullptr);
  json["is_estimate"] = report.is_estimate;
  json["why_not_whole"] = report.why_not_whole;
  json["trials"] = Json::array();
  for (const Trial& trial : report.trials) json["trials"].push_back(trial_json(trial, report));
  return json;
}

// Indented, ASCII.
std::string text_of(const Json& document) {
  return document.dump(2, ' ', true, Json::error_handler_t::replace);
}

}  // namespace

std::string problem_json(const Problem& problem) { return text_of(document_of(problem)); }

std::string tune_json(const TuneReport& report) { return text_of(report_json(report)); }

}  // namespace xpose
