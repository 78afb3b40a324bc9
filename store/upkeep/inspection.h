// Consistency check of the store, `gprofhub admin fsck`: all references resolve, and all hashes
// match.
//
// It only reads. It may run concurrently with a server: each check is one statement, which sees one
// snapshot of the database, and a missing blob is looked up again before it is reported. Memory is
// bounded by the largest blob and by one page of names.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::store {

class ObjectStore;

namespace sql {
class BlobBytes;
class Database;
}  // namespace sql

struct InspectionFinding {
  bool is_damage = false;  // else it only wastes space
  std::string kind;        // such as "blob.missing"; docs/administration.md lists them
  std::string subject;     // the row or blob concerned
  std::string advice;      // what to do
};

struct InspectionSummary {
  uint64_t blobs = 0;  // looked at
  uint64_t blob_bytes = 0;
  uint64_t references = 0;  // kinds of references that were checked
  uint64_t files = 0;       // examined, where blobs are files
  uint64_t segments = 0;    // checked, of the archive (store/archive/archiving.h)
  // Blobs whose bytes were not read because they, or the base they are encoded against, are
  // archived.
  uint64_t unread = 0;
  uint64_t damages = 0;
  uint64_t notes = 0;
};

struct InspectionOptions {
  // Reads all bytes and compares their hashes. Without it, checks only that they exist; for
  // archived blobs, that their segment exists.
  bool hashes = true;
  // Younger files without a row count as part of an upload in progress.
  absl::Duration upload_time = absl::Hours(1);
  absl::Time now;
  std::function<void(const InspectionFinding&)> on_finding = [](const InspectionFinding&) {};
  // The current check, and its progress.
  std::function<void(absl::string_view what, uint64_t done, uint64_t all)> on_progress =
      [](absl::string_view, uint64_t, uint64_t) {};
};

// A part of the store: store/store.h documents what all parts guarantee.
class Inspection {
 public:
  // Without an archive (null) archived blobs are not checked.
  Inspection(std::shared_ptr<sql::Database> database, std::shared_ptr<sql::BlobBytes> bytes,
             std::shared_ptr<ObjectStore> archive);

  // Errors are those of reading the store; damage is not an error.
  absl::StatusOr<InspectionSummary> Run(const InspectionOptions& options) const;

 private:
  absl::Status CheckReferences(const InspectionOptions& options, InspectionSummary& summary) const;
  absl::Status CheckBlobs(const InspectionOptions& options, InspectionSummary& summary) const;
  absl::Status CheckFiles(const InspectionOptions& options, InspectionSummary& summary) const;
  absl::Status CheckSegments(const InspectionOptions& options, InspectionSummary& summary) const;

  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<ObjectStore> archive_;
};

}  // namespace gprofhub::store
