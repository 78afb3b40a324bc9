// Names of blobs, as Remote Execution API v2 writes them in calls of ByteStream.
// Source: remote_execution.proto, comments of service ContentAddressableStorage.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "proto/remote_cache.pb.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::collector {

struct BlobResource {
  std::string instance;  // a project, or empty
  std::string upload;    // the client's name of the upload; empty for reads
  store::TransferDigest digest;
};

// "[INSTANCE/]blobs/HASH/SIZE". INVALID_ARGUMENT for anything else.
absl::StatusOr<BlobResource> ParseReadName(absl::string_view name);

// "[INSTANCE/]uploads/UUID/blobs/HASH/SIZE"; anything after a further slash is ignored.
absl::StatusOr<BlobResource> ParseWriteName(absl::string_view name);

// `field` is the digest's path in its message.
absl::StatusOr<store::TransferDigest> ToDigest(
    absl::string_view field, const build::bazel::remote::execution::v2::Digest& digest);

}  // namespace gprofhub::collector
