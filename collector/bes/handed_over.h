// Files that Bazel uploaded in addition to its events, by URI.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::collector {

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

}  // namespace gprofhub::collector
