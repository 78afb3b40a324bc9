// Storage of blobs' bytes: files next to SQLite's database, or rows of PostgreSQL's. This is the
// second interface of an engine. The rows that name the blobs belong to the database
// (Session::AddBlob).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "store/records/records.h"

namespace gprofhub::store::sql {

// Bytes outside of the database. They may be a blob's, or unreferenced.
struct LooseBytes {
  std::string place;      // for display
  BlobName name;          // of the blob, from the file name; empty: not a blob's
  bool incoming = false;  // an upload in progress, or of a process that ended
  uint64_t size = 0;
  absl::Time changed;
};

struct RemovedBytes {
  uint64_t count = 0;
  uint64_t bytes = 0;
};

// Safe to use from several threads.
class BlobBytes {
 public:
  virtual ~BlobBytes() = default;

  // Whether Stage stores this blob: its bytes are kept outside of the database.
  virtual bool Stages(const Blob& blob) const = 0;
  // Prepares the bytes for Session::AddBlob in a later transaction. Bytes kept outside of the
  // database are durable after this call.
  virtual absl::Status Stage(absl::Span<const Blob* const> blobs) = 0;
  // Returns the bytes as stored, unchecked. NOT_FOUND if no row names the blob. nullopt if a row
  // exists without bytes: delta-encoded (store/packing/held_blob.h), in cold storage, or lost.
  virtual absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) = 0;

  // Number of parts into which the bytes outside of the database are divided; 0: there are none.
  virtual int parts() const = 0;
  // Lists one part, unordered. Empty if the part does not exist.
  virtual absl::StatusOr<std::vector<LooseBytes>> List(int part) = 0;
  // Removes files of these names that no row of a whole blob names and that were last changed
  // before `changed_before`. A concurrent transaction that adds the row is safe: Session::AddBlob
  // and this exclude each other, and AddBlob writes missing bytes again.
  virtual absl::StatusOr<RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                     absl::Time changed_before) = 0;
  // Removes unfinished uploads of processes that ended before then.
  virtual absl::StatusOr<RemovedBytes> RemoveIncoming(absl::Time changed_before) = 0;
};

}  // namespace gprofhub::store::sql
