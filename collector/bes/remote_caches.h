// Reads files that Bazel uploaded to the repository's own remote cache, with this server's
// credentials.
//
// Clients' events name files by URI, which is untrusted input (server-side request forgery). No URI
// is followed: it only selects one of the caches that the operator configured for the client's
// project
// (`gprofhub serve --read-cache`). No request goes to another host, port or instance, or to another
// project's cache. Requests contain only a hash, and the response is checked against it.
#pragma once

#include <grpcpp/channel.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "store/transfer_blobs.h"

namespace gprofhub::collector {

// Files that Bazel uploaded in addition to its events, by URI.

struct HandedOverFile {
  std::string sha256;
  uint64_t size = 0;
  std::string place;  // "HOST[/INSTANCE]" of the URI; never connected to
};

// Parses "bytestream://HOST/[INSTANCE/]blobs/<SHA-256>/<size>"; nullopt for any other URI.
std::optional<HandedOverFile> ParseBytestream(absl::string_view uri);

// The bytes of a project's file. NOT_FOUND if it was not uploaded, or has expired.
using ReadHandedOver = std::function<absl::StatusOr<std::string>(const std::string& project,
                                                                 const HandedOverFile& file)>;

// Reads them from the storage of the remote cache (collector/cache/).
ReadHandedOver ReadFrom(store::TransferBlobs transfers);

struct RemoteCache {
  std::string project;              // whose files are in this cache
  std::vector<std::string> places;  // as in HandedOverFile::place
  std::string instance;             // of the cache; may be empty
  std::shared_ptr<grpc::Channel> channel;
  std::vector<std::pair<std::string, std::string>> headers;  // of each call
};

struct RemoteCacheOptions {
  absl::Duration connect = absl::Seconds(15);  // until the first byte
  absl::Duration whole = absl::Minutes(5);     // one file
  // After a cache was unreachable, files are skipped for this long without another request.
  absl::Duration rest = absl::Minutes(1);
  std::function<absl::Time()> now = absl::Now;
};

// Thread-safe.
class RemoteCaches {
 public:
  explicit RemoteCaches(std::vector<RemoteCache> caches, const RemoteCacheOptions& options = {});
  ~RemoteCaches();
  RemoteCaches(const RemoteCaches&) = delete;
  RemoteCaches& operator=(const RemoteCaches&) = delete;

  // Reads from the project's cache that the URI names; nullopt if it names none of them. NOT_FOUND
  // if the cache does not return the file, for any reason: the read is not retried. DATA_LOSS if
  // the bytes do not match the URI's hash or size. UNAVAILABLE after Stop.
  std::optional<absl::StatusOr<std::string>> Read(const std::string& project,
                                                  const HandedOverFile& file) const;

  // Cancels running reads and refuses later ones.
  void Stop();

 private:
  class Reader;
  std::vector<std::unique_ptr<Reader>> readers_;
};

// Reads from `own`, then from `caches`, which outlive it.
ReadHandedOver ReadAlsoFrom(const RemoteCaches& caches, ReadHandedOver own);

}  // namespace gprofhub::collector
