#include <algorithm>
#include <limits>
#include <memory>
#include <span>
#include <string>

#include "c_api/engine_handle.hpp"
#include "c_api/options.hpp"
#include "c_api/status.hpp"
#include "c_api/tensors.hpp"
#include "c_api/versioned.hpp"

namespace xpose::c_api {
namespace {

TuneOptions tune_options(const xpose_tune_options_t& stated) {
  TuneOptions options;
  options.budget_seconds = budget(stated.budget_seconds);
  if (stated.max_rounds != 0)
    options.max_rounds = static_cast<int>(
        std::min<std::uint32_t>(stated.max_rounds, std::numeric_limits<int>::max()));
  options.every_strategy = stated.every_strategy != 0;
  options.warm = stated.warm != 0;
  options.whole = stated.whole != 0;
  if (stated.variant_count > 0) {
    required(stated.variants, "xpose_tune_options_t::variants");
    for (const char* variant : std::span(stated.variants, stated.variant_count))
      options.variants.push_back(parse_variant(&required(variant, "a variant")));
  }
  if (stated.progress != nullptr)
    options.progress = [progress = stated.progress, context = stated.context](const Progress& now) {
      progress(context, std::string(now.stage).c_str(), now.done, now.total);
    };
  if (stated.interrupted != nullptr)
    options.interrupted = [interrupted = stated.interrupted, context = stated.context] {
      return interrupted(context) != 0;
    };
  return options;
}

// For xpose_text_free().
char* copy_of(const std::string& text) {
  auto copy = std::make_unique<char[]>(text.size() + 1);
  std::ranges::copy(text, copy.get());
  return copy.release();
}

}  // namespace
}  // namespace xpose::c_api

using namespace xpose;

xpose_status_t xpose_tune(xpose_engine_t* engine, const xpose_tensor_t* in,
                          const xpose_tensor_t* out, const int32_t* axes,
                          const xpose_tune_options_t* options, char** json) {
  return c_api::guarded([&] {
    c_api::required(json, "the argument json");
    *json = nullptr;
    Engine& tuner = c_api::required(engine, "the engine").engine;
    const auto stated = c_api::versioned(options, "xpose_tune_options_t");
    const c_api::Move move = c_api::stated_move(in, out, axes, stated.in_place != 0);
    *json =
        c_api::copy_of(tune_json(tuner.tune(c_api::problem_of(move), c_api::tune_options(stated))));
  });
}
