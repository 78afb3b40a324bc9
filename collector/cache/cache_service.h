// Receives the files that Bazel's build events name (--remote_cache), in addition to the build
// event service (collector/bes/). To Bazel it is a remote cache (Remote Execution API v2) without
// results: files are kept for one day, for the readers of the events.
//
// Three rules follow from Bazel's behaviour (docs/bazel/remote-cache.md). Bazel aborts the whole
// event stream when one file cannot be uploaded, so an unwanted file is not refused: the server
// reports it as present. Every call carries the id of its action, so files that no event names are
// dropped. The server advertises that it stores results, because Bazel ends the build otherwise;
// they are dropped.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "collector/cache/cache_context.h"
#include "collector/calls/method.h"
#include "proto/byte_stream.pb.h"
#include "proto/remote_cache.pb.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::collector {

class CacheService {
 public:
  CacheService(store::TransferBlobs transfers, CacheOptions options)
      : context_(std::move(transfers), std::move(options)) {}
  CacheService(const CacheService&) = delete;
  CacheService& operator=(const CacheService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<Method> Methods();

  const NotTaken& not_taken() const { return context_.not_taken; }

 private:
  std::vector<Method> ByteStreamMethods();
  std::vector<Method> StorageMethods();

  absl::StatusOr<std::string> FindMissingBlobs(
      const build::bazel::remote::execution::v2::FindMissingBlobsRequest& request,
      const CallContext& call);
  absl::StatusOr<std::string> BatchUpdateBlobs(
      const build::bazel::remote::execution::v2::BatchUpdateBlobsRequest& request,
      const CallContext& call);
  absl::StatusOr<std::string> BatchReadBlobs(
      const build::bazel::remote::execution::v2::BatchReadBlobsRequest& request,
      const CallContext& call);
  absl::StatusOr<std::string> QueryWriteStatus(
      const google::bytestream::QueryWriteStatusRequest& request, const CallContext& call);

  CacheContext context_;
};

}  // namespace gprofhub::collector
