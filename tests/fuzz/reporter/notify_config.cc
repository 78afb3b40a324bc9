// Files for `gprofhub serve --notify`. For every input, the result is a status that names the file,
// or a valid configuration: no address, URL or time that another part would refuse.

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "absl/strings/match.h"
#include "reporter/notify/config.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using gprofhub::reporter::ChannelConfig;
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto config = gprofhub::reporter::ParseNotifyConfig(bytes, "fuzz.json");
  if (!config.ok()) {
    if (!absl::StartsWith(config.status().message(), "fuzz.json: ")) std::abort();
    return 0;
  }
  if (config->channels.empty() || config->routes.empty()) std::abort();
  for (const ChannelConfig& channel : config->channels) {
    for (const std::string* text : {&channel.from, &channel.url}) {
      if (text->find_first_of("\r\n") != std::string::npos) std::abort();
    }
    for (const std::string& to : channel.to) {
      if (to.find_first_of("\r\n <>,") != std::string::npos) std::abort();
    }
    if (channel.quiet.has_value()) {
      const absl::Time now = absl::FromUnixSeconds(1700000000);
      const absl::Duration wait =
          gprofhub::reporter::NextAllowed(*channel.quiet, channel.utc_offset, now) - now;
      if (wait < absl::ZeroDuration() || wait > absl::Hours(24 * 4)) std::abort();
    }
    if (!channel.events && !channel.digest.has_value()) std::abort();
  }
  for (const auto& route : config->routes) {
    for (const std::string& name : route.channels) {
      if (std::none_of(config->channels.begin(), config->channels.end(),
                       [&name](const ChannelConfig& one) { return one.name == name; })) {
        std::abort();
      }
    }
  }
  return 0;
}
