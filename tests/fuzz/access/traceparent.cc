// `traceparent` metadata as a client sends it. The result goes into the log and the database: it is
// 32 lower-case hexadecimal digits, and not all of them are zero.

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "collector/grpc_call.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const std::optional<std::string> id = gprofhub::collector::TraceIdOf(text);
  if (!id.has_value()) return 0;
  if (id->size() != gprofhub::collector::kRequestIdLength) std::abort();
  if (id->find_first_not_of("0123456789abcdef") != std::string::npos) std::abort();
  if (id->find_first_not_of('0') == std::string::npos) std::abort();
  if (text.find(*id) != 3) std::abort();
  return 0;
}
