// Names of blobs and digests, as a client writes them. The first byte is the kind of the rest:
//   0  a name to read
//   1  a name to write
//   2  a Digest

#include <cstdint>
#include <cstdlib>

#include "absl/strings/string_view.h"
#include "collector/cache/cache_service.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub;
  if (size == 0) return 0;
  const absl::string_view rest(reinterpret_cast<const char*>(data) + 1, size - 1);
  store::TransferDigest digest;
  switch (data[0] % 3) {
    case 0:
    case 1: {
      const auto resource =
          data[0] % 3 == 0 ? collector::ParseReadName(rest) : collector::ParseWriteName(rest);
      if (!resource.ok()) {
        if (resource.status().message().empty()) std::abort();
        return 0;
      }
      // The parsed parts are substrings of the input.
      if (rest.find(resource->digest.sha256) == absl::string_view::npos ||
          rest.find(resource->instance) != 0 || (data[0] % 3 == 1) == resource->upload.empty()) {
        std::abort();
      }
      digest = resource->digest;
      break;
    }
    default: {
      build::bazel::remote::execution::v2::Digest message;
      if (!message.ParseFromArray(rest.data(), static_cast<int>(rest.size()))) return 0;
      const auto read = collector::ToDigest("digest", message);
      if (!read.ok()) return 0;
      digest = *read;
    }
  }
  if (digest.sha256.size() != 64 || digest.size > uint64_t{1} << 50) std::abort();
  return 0;
}
