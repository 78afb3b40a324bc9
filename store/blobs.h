// Content-addressed blobs. Ingest and JobQueue add blobs together with the rows that reference
// them. Garbage collection removes unreferenced blobs (store/upkeep/garbage.h).
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

// A part of the store: store.h documents what all parts guarantee.
class Blobs {
 public:
  Blobs(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes);

  // Those of `names` that the project has not uploaded, in the same order. The store may hold them
  // for another project: knowing a hash grants no access to the bytes.
  absl::StatusOr<std::vector<BlobName>> FindMissing(absl::string_view project,
                                                    const std::vector<BlobName>& names) const;

  // Like FindMissing, plus blobs that garbage collection has marked: the list that an uploader must
  // send. The remaining blobs are safe for the grace period (store/upkeep/garbage.h) in any case.
  absl::StatusOr<std::vector<BlobName>> FindToSend(absl::string_view project,
                                                   const std::vector<BlobName>& names) const;

  // The bytes, for callers that have the name from rows of their project, or from FindMissing. A
  // zstd frame may come back as a different frame with the same content
  // (store/delta/delta_encoding.h). NOT_FOUND, or DATA_LOSS if the content no longer matches the
  // hash.
  absl::StatusOr<std::string> Read(const BlobName& name) const;
  // Uncompressed size of the upload: Read returns about that many bytes. Errors as Read.
  absl::StatusOr<uint64_t> SizeOf(const BlobName& name) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<KeptBases> bases_;  // that were read last
};

}  // namespace gprofhub::store
