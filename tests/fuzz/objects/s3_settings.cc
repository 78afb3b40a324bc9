// An operator's settings of a bucket: its location, and a file of keys.

#include <cstddef>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/match.h"
#include "absl/strings/string_view.h"
#include "store/objects/location.h"
#include "store/objects/s3_objects.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view input(reinterpret_cast<const char*>(data), size);
  const auto location = gprofhub::store::ParseS3Location(input);
  if (location.ok()) {
    const std::string host = location->host();
    // Nothing that would end the host's name, or a header.
    if (host.find_first_of("/?#@\r\n \0", 0, 8) != std::string::npos) std::abort();
    if (location->scheme != "https" && location->scheme != "http") std::abort();
  }
  const auto keys = gprofhub::store::ParseCredentialsFile(input, "default");
  if (keys.ok()) {
    for (const absl::string_view value :
         {absl::string_view(keys->access_key), absl::string_view(keys->session_token)}) {
      if (absl::StrContains(value, '\n') || absl::StrContains(value, '\r')) std::abort();
    }
  }
  return 0;
}
