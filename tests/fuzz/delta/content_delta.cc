// Decoder of stored blobs: a blob, and a delta against another one. The input's first byte is the
// end of the base; the rest is decoded as a delta, and encoded as a content.

#include "store/delta/content_delta.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const auto content = gprofhub::store::ContentOf(input);
  if (content.ok() && content->bytes.size() > gprofhub::store::kLargestContent) std::abort();
  if (input.empty()) return 0;
  const absl::string_view base = input.substr(1, static_cast<unsigned char>(input[0]));
  const absl::string_view rest = input.substr(1 + base.size());
  const auto decoded = gprofhub::store::DecodeDelta(rest, base);
  if (decoded.ok() && decoded->size() > gprofhub::store::kLargestContent) std::abort();
  const auto again = gprofhub::store::DecodeDelta(gprofhub::store::EncodeDelta(rest, base), base);
  if (!again.ok() || *again != rest) std::abort();
  return 0;
}
