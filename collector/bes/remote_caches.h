// Files that Bazel handed over to another remote cache, which a repository had before: read from
// there, with credentials of this server's.
//
// Events name their files by an address, and events come from clients. So no address is followed:
// it only chooses among the caches that the operator has named for the client's project
// (`gprofhub serve --read-cache`). Another host, another port, another instance of the same cache,
// or another project's cache is not asked for anything. What is asked for is a hash, and what comes
// back is compared with it.
#pragma once

#include <grpcpp/channel.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/bes/handed_over.h"

namespace gprofhub::collector {

struct RemoteCache {
  std::string project;              // whose files are read from it
  std::vector<std::string> places;  // as HandedOverFile::place has them
  std::string instance;             // of the cache; may be empty
  std::shared_ptr<grpc::Channel> channel;
  std::vector<std::pair<std::string, std::string>> headers;  // of each call
};

struct RemoteCacheOptions {
  absl::Duration connect = absl::Seconds(15);  // to the first byte
  absl::Duration whole = absl::Minutes(5);     // one file
  // After a cache could not be reached, files are left out for this long without asking it.
  absl::Duration rest = absl::Minutes(1);
  std::function<absl::Time()> now = absl::Now;
};

// Safe to use from several threads.
class RemoteCaches {
 public:
  explicit RemoteCaches(std::vector<RemoteCache> caches, const RemoteCacheOptions& options = {});
  ~RemoteCaches();
  RemoteCaches(const RemoteCaches&) = delete;
  RemoteCaches& operator=(const RemoteCaches&) = delete;

  // From the project's cache that the file's address names; nullopt if none is named. NOT_FOUND if
  // the cache does not give the file, for whatever reason: nobody tries again. DATA_LOSS for other
  // bytes than the address says. UNAVAILABLE after Stop.
  std::optional<absl::StatusOr<std::string>> Read(const std::string& project,
                                                  const HandedOverFile& file) const;

  // Ends what is being read, and reads nothing more.
  void Stop();

 private:
  class Reader;
  std::vector<std::unique_ptr<Reader>> readers_;
};

// Asks `own` first, and `caches`, which outlive it, for what that does not have.
ReadHandedOver ReadAlsoFrom(const RemoteCaches& caches, ReadHandedOver own);

}  // namespace gprofhub::collector
