// Throws through the ABI, which the SDK would not let happen.
#include "../animal.hpp"

namespace {

template <class... Arguments>
xpose_status thrown(Arguments...) {
  zoo::note(ZOO_STAGE);
  throw std::runtime_error("thrown by " ZOO_NAME);
}

}  // namespace

extern "C" XPOSE_EXPORT const xpose_plugin* xpose_plugin_entry() {
  static zoo::Description self(zoo::detail::describe<zoo::Animal>(ZOO_NAME, "1.0"));
  const std::string_view stage = ZOO_STAGE;
  if (stage == "quote") self.strategy.quote = thrown;
  if (stage == "create") self.strategy.create = thrown;
  if (stage == "launch") self.strategy.launch = thrown;
  return &self.plugin;
}
