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
#include <string>
#include <utility>
#include <vector>

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

// First asks `own`. What that does not have is read from the project's cache that the file's
// address names. NOT_FOUND if no such cache is named, or it does not give the file, for whatever
// reason: nobody tries again. DATA_LOSS for other bytes than the address says.
ReadHandedOver ReadAlsoFrom(std::vector<RemoteCache> caches, ReadHandedOver own,
                            const RemoteCacheOptions& options = {});

}  // namespace gprofhub::collector
