// Where Bazel hands over the files that its build events name (--remote_cache), beside the build
// event service (collector/bes/). To Bazel it is a remote cache, of Remote Execution API v2, that
// never has a result: what it keeps, it keeps for whoever reads the events, for a day.
//
// Three rules follow from how Bazel behaves (docs/bazel/remote-cache.md). Bazel gives up the whole
// stream of events when one file cannot be handed over, so what is not wanted is not refused: Bazel
// is told that it need not be sent. Bazel says of each call which action it is for, so files that
// no event names are not taken. And it is told that results may be kept, since it ends the build
// otherwise; they are dropped.
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
