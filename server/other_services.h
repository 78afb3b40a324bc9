// Services that a repository's Bazel also uses: another build event service that gets a copy of the
// events, and a remote cache that has the files.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/bes/event_forwarder.h"
#include "collector/bes/event_stream.h"
#include "collector/bes/remote_caches.h"
#include "server/metrics.h"

namespace CLI {
class App;
}  // namespace CLI

namespace gprofhub::server {

struct OtherServiceOptions {
  std::vector<std::string> forward_bes;  // "[PROJECT=]grpc[s]://HOST[:PORT]"
  std::vector<std::string> read_caches;  // "PROJECT=grpc[s]://HOST[:PORT][/INSTANCE]"
  std::string headers_file;              // lines "HOST[:PORT] NAME: VALUE"; empty: none
};

void AddOtherServiceOptions(CLI::App& command, OtherServiceOptions& options);

class OtherServices {
 public:
  // Does not connect yet. INVALID_ARGUMENT naming the malformed option or line; ReadFile's errors.
  static absl::StatusOr<std::unique_ptr<OtherServices>> Make(const OtherServiceOptions& options);

  // It uses this object.
  collector::ForwarderOf forwarder_of() const;
  const std::vector<collector::RemoteCache>& caches() const { return caches_; }

  void AddSamples(std::vector<Sample>& samples) const;

 private:
  OtherServices() = default;

  // By project; "" is every other one.
  std::map<std::string, std::unique_ptr<collector::EventForwarder>> forwarders_;
  std::vector<collector::RemoteCache> caches_;
};

}  // namespace gprofhub::server
