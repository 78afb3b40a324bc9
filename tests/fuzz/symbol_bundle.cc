// Symbol bundles: the input as it is, and as the content of a valid frame. Decodable input must
// encode to something that decodes.

#include "profile/codec/symbol_bundle.h"

#include <zstd.h>

#include <cstdlib>
#include <string>

namespace {

void Decode(absl::string_view bytes) {
  auto symbols = gprofhub::profile::DecodeSymbolBundle(bytes);
  if (!symbols.ok()) return;
  if (!gprofhub::profile::DecodeSymbolBundle(gprofhub::profile::EncodeSymbolBundle(*symbols)).ok())
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Decode(absl::string_view(reinterpret_cast<const char*>(data), size));
  std::string frame(ZSTD_compressBound(size), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), data, size, 1));
  Decode(frame);
  return 0;
}
