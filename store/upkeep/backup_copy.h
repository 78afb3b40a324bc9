// Shared code of backup and restore.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/engine.h"
#include "store/upkeep/backup_options.h"

namespace gprofhub::store {

// A temporary folder next to the destination; removed at the end.
class PartialFolder {
 public:
  static absl::StatusOr<PartialFolder> Make(const std::string& place);
  ~PartialFolder();
  PartialFolder(PartialFolder&& other) noexcept;
  PartialFolder& operator=(PartialFolder&&) = delete;

  const std::string& path() const { return path_; }

  // Moves the folder itself to the destination, where an empty one may be, or a file of it, where
  // the name must be free: else ALREADY_EXISTS. All of it is synced before the rename.
  absl::Status MoveTo(const std::string& place);
  absl::Status MoveFileTo(absl::string_view file, const std::string& place);

 private:
  explicit PartialFolder(std::string path) : path_(std::move(path)) {}
  std::string path_;
};

// RESOURCE_EXHAUSTED for a full disk, else FAILED_PRECONDITION.
absl::Status FileError(absl::string_view doing, const std::string& path, int error);

// Calls `each` with the name of each blob that the copy's rows name; how many there are.
absl::StatusOr<uint64_t> ForBlobs(sql::Database& copy, const BackupOptions& options,
                                  const std::function<absl::Status(const BlobName& name)>& each);

// A blob of a database that is being copied.
struct CopiedBlob {
  std::optional<std::string> bytes;  // of a whole one, if they are rows; unchecked
  bool is_whole = false;             // neither a delta nor archived
};

// NOT_FOUND if no row names the blob.
absl::StatusOr<CopiedBlob> FindCopied(sql::Session& copy, const sql::Dialect& dialect,
                                      const BlobName& name);

// DATA_LOSS unless the bytes hash to the name; `of_what` has them.
absl::Status CheckBytes(const BlobName& name, const std::string& bytes, absl::string_view of_what);

// Number of archived blobs.
absl::StatusOr<uint64_t> CountArchived(sql::Session& session);

// Checks a store as `gprofhub admin fsck` does: DATA_LOSS, naming the first damage. Archived blobs
// are not read.
absl::Status InspectCopy(const sql::Engine& engine, const BackupOptions& options);

}  // namespace gprofhub::store
