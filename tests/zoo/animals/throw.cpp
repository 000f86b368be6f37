// Throws through the ABI, which the SDK would not let happen.
#include "../animal.hpp"

namespace {

template <class Status, class... Arguments>
Status thrown(Arguments...) {
  zoo::note(ZOO_STAGE);
  throw std::runtime_error("thrown by " ZOO_NAME);
}

// An exception that has nothing to say.
struct Speechless : std::exception {
  const char* what() const noexcept override { return nullptr; }
};

template <class... Arguments>
xpose_status thrown_without_words(Arguments...) {
  zoo::note(ZOO_STAGE);
  throw Speechless();
}

}  // namespace

extern "C" XPOSE_EXPORT const xpose_plugin* xpose_plugin_entry() {
  static zoo::Description self(zoo::detail::describe<zoo::Animal>(ZOO_NAME, "1.0"));
  const std::string_view stage = ZOO_STAGE;
  if (stage == "quote") self.strategy.quote = thrown<xpose_status>;
  if (stage == "create") self.strategy.create = thrown<xpose_status>;
  if (stage == "launch") self.strategy.launch = thrown<xpose_status>;
  if (stage == "launch_without_words") self.strategy.launch = thrown_without_words;
  if (stage == "destroy") self.strategy.destroy = thrown<void>;
  return &self.plugin;
}
