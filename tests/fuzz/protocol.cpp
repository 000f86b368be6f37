// A payload between host and worker: what is understood can be said again, and means the same.
#include "worker/protocol.hpp"

#include "fuzz.hpp"

namespace {

using xpose::fuzz::require;

template <class Message>
void check(std::string_view payload, Message (*decode)(std::string_view)) {
  Message message;
  try {
    message = decode(payload);
  } catch (const xpose::Error& error) {
    require(error.kind() == xpose::ErrorKind::failed, "a refusal is of the kind failed");
    require(*error.what() != '\0', "a refusal says why");
    return;
  }
  const std::string encoded = encode(message);
  require(encode(decode(encoded)) == encoded, "a message that is encoded is decoded the same");
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view payload = xpose::fuzz::text_of(data, size);
  check(payload, xpose::decode_request);
  check(payload, xpose::decode_reply);
  check(payload, xpose::decode_plugin);
  return 0;
}
