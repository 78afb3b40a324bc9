// Storage of blob contents: files next to SQLite's database, or rows of PostgreSQL's. This is the
// second seam of the store. The rows that name the blobs belong to the database (Session::AddBlob).
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

// Content that lies outside the database. It may belong to a blob, or be unreferenced.
struct LooseBytes {
  std::string place;      // for people
  BlobName name;          // of the blob that they belong to by name; empty: none
  bool incoming = false;  // being written, or left over by a process that ended
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

  // Whether Stage is needed for this blob: its bytes lie outside the database.
  virtual bool Stages(const Blob& blob) const = 0;
  // Prepares the bytes for Session::AddBlob in a later transaction. Bytes kept outside of the
  // database are durable after this call.
  virtual absl::Status Stage(absl::Span<const Blob* const> blobs) = 0;
  // The stored bytes, unchecked. NOT_FOUND if no row names the blob. nullopt if a row does but has
  // no bytes: they are delta-encoded (store/delta/held_blob.h), archived, or lost.
  virtual absl::StatusOr<std::optional<std::string>> Read(const BlobName& name) = 0;

  // Number of partitions of the bytes outside the database; 0: there are no such bytes.
  virtual int parts() const = 0;
  // Lists one part, unordered. Empty if the part does not exist.
  virtual absl::StatusOr<std::vector<LooseBytes>> List(int part) = 0;
  // Removes the files of these names if no row of a whole blob names them and they were last
  // changed before `changed_before`. Safe against a concurrent transaction that adds the row:
  // Session::AddBlob and this exclude each other, and the former restores missing bytes.
  virtual absl::StatusOr<RemovedBytes> RemoveUnnamed(absl::Span<const BlobName> names,
                                                     absl::Time changed_before) = 0;
  // Removes unfinished writes of processes that ended before then.
  virtual absl::StatusOr<RemovedBytes> RemoveIncoming(absl::Time changed_before) = 0;
};

}  // namespace gprofhub::store::sql
