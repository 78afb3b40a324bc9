// Computed profiles: the input as it is, and as the content of a valid frame. Decodable input must
// encode to something that decodes, and give series.

#include <zstd.h>

#include <cstdlib>
#include <string>

#include "profile/codec/computed.h"
#include "profile/codec/series.h"

namespace {

void Decode(absl::string_view bytes) {
  auto profile = gprofhub::profile::DecodeComputedProfile(bytes);
  if (!profile.ok()) return;
  if (!gprofhub::profile::DecodeComputedProfile(gprofhub::profile::EncodeComputedProfile(*profile))
           .ok()) {
    std::abort();
  }
  for (const std::string& segment : gprofhub::profile::EncodeSeries(*profile)) {
    if (!gprofhub::profile::DecodeSeries(segment).ok()) std::abort();
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Decode(absl::string_view(reinterpret_cast<const char*>(data), size));
  std::string frame(ZSTD_compressBound(size), '\0');
  frame.resize(ZSTD_compress(frame.data(), frame.size(), data, size, 1));
  Decode(frame);
  return 0;
}
