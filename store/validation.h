// Input validation that runs before the database is touched. It is the same for every engine, so no
// engine's own reaction to bad input shows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/records/summaries.h"

namespace gprofhub::store {

// The name of a blob: the SHA-256 of its bytes.

// The name under which a store keeps these bytes.
BlobName NameBlob(absl::string_view bytes);

// Whether `name` has the form of a blob's name: 64 lower-case hexadecimal digits.
bool IsBlobName(absl::string_view name);

// Content-addressed blobs. Ingest and JobQueue add blobs together with the rows that reference
// them. Garbage collection removes unreferenced blobs (store/garbage.h).

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
  // send. The remaining blobs are safe for the grace period (store/garbage.h) in any case.
  absl::StatusOr<std::vector<BlobName>> FindToSend(absl::string_view project,
                                                   const std::vector<BlobName>& names) const;

  // The bytes, for callers that have the name from rows of their project, or from FindMissing. A
  // zstd frame may come back as a different frame with the same content
  // (store/archive/delta_encoding.h). NOT_FOUND, or DATA_LOSS if the content no longer matches the
  // hash.
  absl::StatusOr<std::string> Read(const BlobName& name) const;
  // Uncompressed size of the upload: Read returns about that many bytes. Errors as Read.
  absl::StatusOr<uint64_t> SizeOf(const BlobName& name) const;

 private:
  std::shared_ptr<sql::Database> database_;
  std::shared_ptr<sql::BlobBytes> bytes_;
  std::shared_ptr<KeptBases> bases_;  // that were read last
};

// Longest text of one field, in bytes. An index entry of PostgreSQL holds two
// such texts and a number (its limit is 2,704 bytes).
inline constexpr size_t kMaxTextBytes = 1000;
inline constexpr size_t kMaxAncestors = 1000;
// Longest content of a notification, in bytes.
inline constexpr size_t kMaxContentBytes = 64 << 10;
// Longest message of an attempt that failed, in bytes; longer ones are cut.
inline constexpr size_t kMaxMessageBytes = 10000;

// INVALID_ARGUMENT naming `field` unless `text` is UTF-8 without NUL bytes of
// at most kMaxTextBytes.
absl::Status CheckText(absl::string_view field, absl::string_view text);

// As CheckText, and not empty.
absl::Status CheckKey(absl::string_view field, absl::string_view text);

// INVALID_ARGUMENT naming the first field that cannot be stored: texts as above, numbers from 1,
// blob names of the right form, each process at most once per image, every profile's image
// included, no unreferenced blob.
absl::Status CheckNewExecution(const NewExecution& execution);

// INVALID_ARGUMENT unless the project is named, the texts are as above and the
// commit is empty or a prefix of at least 7 bytes.
absl::Status CheckRunFilter(const RunFilter& filter);

// INVALID_ARGUMENT unless the project is named and the texts are as above.
absl::Status CheckBranchKey(const BranchKey& branch);

// INVALID_ARGUMENT unless the result is the job's: segments of its run and
// target, each bucket once, and a well-named blob.
absl::Status CheckResult(const Job& job, const AnalysisResult& result);

// INVALID_ARGUMENT naming the first field that cannot be stored.
absl::Status CheckAcknowledgement(const AcknowledgementRecord& record);
absl::Status CheckGated(const GatedRecord& record);
absl::Status CheckRerunRequest(const RerunRequestRecord& record);
absl::Status CheckCulprit(const CulpritRecord& record);
absl::Status CheckNotification(const NotificationRecord& record);

}  // namespace gprofhub::store
