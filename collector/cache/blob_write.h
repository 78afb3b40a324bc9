// One blob received through ByteStream.Write.
//
// Bazel sends 16 KiB at a time. Bytes are buffered to pieces of 1 MiB, and each piece is one
// transaction of the store. A later stream, at any process of the store, resumes after the stored
// pieces; buffered bytes are lost.
//
// A blob that is not wanted is answered as if it had been received. An error would make Bazel abort
// the whole stream of build events (docs/bazel/remote-cache.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "collector/cache/cache_context.h"
#include "collector/calls/fair_share.h"
#include "collector/calls/method.h"
#include "proto/byte_stream.pb.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::collector {

class BlobWrite final : public CallHandler {
 public:
  // `cache` outlives it.
  BlobWrite(CacheContext& cache, CallContext call)
      : cache_(cache), call_(std::move(call)), held_(cache.buffers) {}

  absl::Status Receive(absl::string_view bytes) override;
  bool WantsMore() const override { return !is_done_; }
  absl::StatusOr<NextMessage> Answer() override;

 private:
  absl::Status Begin(const google::bytestream::WriteRequest& first);
  absl::Status CheckWanted();
  absl::Status Gather(absl::string_view data);
  absl::Status Flush();

  CacheContext& cache_;
  const CallContext call_;
  std::string resource_name_;
  store::TransferUpload upload_;  // its project is empty before the first message
  uint64_t position_ = 0;         // offset of the next expected byte
  uint64_t stored_ = 0;           // bytes in the store
  std::string gathered_;          // bytes from offset stored_ on
  Holding held_;                  // memory for them
  bool finished_ = false;         // the client has sent the last byte
  bool is_done_ = false;          // no further bytes are expected
  bool is_there_ = false;         // the blob is present, or not wanted
};

}  // namespace gprofhub::collector
