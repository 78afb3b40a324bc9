// Bytes, by their hash. Ingest and JobQueue add blobs together with the rows that name them. What
// no row names any more, garbage collection removes (store/upkeep/garbage.h).
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"

namespace gprofhub::store {

class KeptBases;

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

// A part of the store: store.h says what holds for all of them.
class Blobs {
 public:
  Blobs(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Those of `names` that the project has not sent, in the same order. The store may hold them for
  // another project: to know a name is no right to the bytes.
  absl::StatusOr<std::vector<BlobName>> FindMissing(absl::string_view project,
                                                    const std::vector<BlobName>& names) const;

  // The same, and those that garbage collection has marked: what an uploader is told to send. It
  // need not send the others: they stay for the time of grace (store/upkeep/garbage.h), whatever
  // happens.
  absl::StatusOr<std::vector<BlobName>> FindToSend(absl::string_view project,
                                                   const std::vector<BlobName>& names) const;

  // The bytes, for whoever has the name from rows of the caller's project, or from FindMissing. If
  // they were a zstd frame, it may be another one with the same content
  // (store/delta/delta_encoding.h). NOT_FOUND, or DATA_LOSS if they are no longer what was sent.
  absl::StatusOr<std::string> Read(const BlobName& name) const;
  // How many bytes were sent: Read gives about as many. Errors as Read.
  absl::StatusOr<uint64_t> SizeOf(const BlobName& name) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<KeptBases> bases_;  // that were read last
};

}  // namespace gprofhub::store
