#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status_context.h"
#include "store/open_store.h"
#include "store/sql/audit_rows.h"
#include "store/sql/engine.h"
#include "store/sql/properties.h"
#include "store/sql/transaction.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/copy_database.h"
#include "store/sqlite/open_sqlite.h"
#include "store/sqlite/small_blobs.h"
#include "store/upkeep/backup.h"
#include "store/upkeep/backup_copy.h"
#include "store/upkeep/copy_rows.h"

namespace gprofhub::store {
namespace {

using sql::Engine;
using sql::Session;
namespace fs = std::filesystem;

constexpr size_t kNamesAtOnce = 500;

std::string WithoutSlash(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

absl::StatusOr<Engine> OpenCopyOfBackup(const std::string& backup, const std::string& folder) {
  absl::Status status =
      sqlite::CopyDatabase(backup, sqlite::DatabaseFile(folder), [] { return absl::OkStatus(); });
  if (!status.ok()) return status;
  absl::StatusOr<Engine> copy = sqlite::OpenSqlite(folder);
  if (!copy.ok()) return base::WithContext(copy.status(), backup);
  return copy;
}

// A whole blob of the backup, whose bytes must exist and match the hash; nullopt if it is a delta
// or archived: a delta is checked with its base, after all blobs are restored.
absl::StatusOr<std::optional<std::string>> ReadOfBackup(const std::string& backup,
                                                        const sql::Dialect& dialect, Session& copy,
                                                        const BlobName& name) {
  absl::StatusOr<CopiedBlob> copied = FindCopied(copy, dialect, name);
  if (!copied.ok()) return copied.status();
  if (!copied->is_whole) return std::nullopt;
  if (!copied->bytes.has_value()) {
    return absl::DataLossError(absl::StrCat(backup, ": blob ", name, " is missing"));
  }
  if (absl::Status status = CheckBytes(name, *copied->bytes, backup); !status.ok()) return status;
  return std::move(copied->bytes);
}

absl::Status RecordRestore(Session& session, const std::string& backup,
                           const BackupOptions& options, BackupResult& result) {
  const absl::StatusOr<uint64_t> archived = CountArchived(session);
  if (!archived.ok()) return archived.status();
  result.archived = *archived;
  const absl::StatusOr<sql::Rows> segments = session.Query("SELECT 1 FROM segment LIMIT 1", {});
  if (!segments.ok()) return segments.status();
  if (!segments->empty()) {
    absl::Status status = sql::SetProperty(session, sql::kArchiveTakeoverPending, 1);
    if (!status.ok()) return status;
  }
  return sql::AddAuditRow(session, options.by, {"", "store.restore", backup, ""}, options.now());
}

// In a backup all bytes are rows. In an embedded store those of large blobs are files.
absl::Status PutLargeIntoFiles(const std::string& backup, const std::string& folder,
                               sql::Database& copy, const BackupOptions& options,
                               BackupResult& result) {
  std::vector<BlobName> large;
  const auto remove_rows = [&] {
    absl::Status status = copy.Write([&](Session& session) {
      for (const BlobName& name : large) {
        absl::Status removed = sqlite::RemoveSmallBlob(session, name);
        if (!removed.ok()) return removed;
      }
      return absl::OkStatus();
    });
    large.clear();
    return status;
  };
  const auto blobs = ForBlobs(copy, options, [&](const BlobName& name) {
    Blob blob = {name, ""};
    absl::StatusOr<std::optional<std::string>> bytes = sql::ReadIn(
        copy, [&](Session& rows) { return ReadOfBackup(backup, copy.dialect(), rows, name); });
    if (!bytes.ok()) return bytes.status();
    if (!bytes->has_value()) return absl::OkStatus();
    blob.bytes = **std::move(bytes);
    result.blob_bytes += blob.bytes.size();
    if (sqlite::IsSmall(blob)) return absl::OkStatus();
    absl::Status status = sqlite::WriteBlobFile(folder, blob);
    if (!status.ok()) return status;
    large.push_back(name);
    return large.size() < kNamesAtOnce ? absl::OkStatus() : remove_rows();
  });
  if (!blobs.ok()) return blobs.status();
  result.blobs = *blobs;
  return remove_rows();
}

absl::Status RestoreEmbedded(const std::string& backup, const std::string& directory,
                             const BackupOptions& options, BackupResult& result) {
  const std::string place = WithoutSlash(directory);
  std::error_code error;
  if (fs::exists(place, error) && !fs::is_empty(place, error)) {
    return absl::FailedPreconditionError(
        absl::StrCat(place, ": is not empty; stop its server and move it away first"));
  }
  fs::create_directories(fs::absolute(place).parent_path(), error);
  absl::StatusOr<PartialFolder> partial = PartialFolder::Make(place);
  if (!partial.ok()) return partial.status();
  {
    const absl::StatusOr<Engine> copy = OpenCopyOfBackup(backup, partial->path());
    if (!copy.ok()) return copy.status();
    absl::Status status =
        PutLargeIntoFiles(backup, partial->path(), *copy->database, options, result);
    if (status.ok()) status = InspectCopy(*copy, options);
    if (status.ok()) {
      status = copy->database->Write(
          [&](Session& session) { return RecordRestore(session, backup, options, result); });
    }
    if (!status.ok()) return status;
  }
  // The removed rows of large blobs have left free pages.
  if (absl::Status status = sqlite::Compact(partial->path()); !status.ok()) return status;
  return partial->MoveTo(place);
}

absl::Status RestoreShared(const std::string& backup, const std::string& location,
                           const BackupOptions& options, BackupResult& result) {
  const absl::StatusOr<Engine> to = OpenEngine(location);
  if (!to.ok()) return to.status();
  std::error_code error;
  const absl::StatusOr<PartialFolder> rows =
      PartialFolder::Make((fs::temp_directory_path(error) / "gprofhub-restore").string());
  if (!rows.ok()) return rows.status();
  const absl::StatusOr<Engine> from = OpenCopyOfBackup(backup, rows->path());
  if (!from.ok()) return from.status();
  absl::Status status = from->database->Read([&](Session& source) {
    return to->database->Write([&](Session& target) {
      result = BackupResult();
      absl::Status checked = CheckIsEmpty(source, target);
      if (!checked.ok()) return checked;
      uint64_t pages = 0;
      RowCopy copy;
      copy.from = copy.sqlite = &source;
      copy.to = &target;
      copy.to_postgres = true;
      copy.bytes_of = [&](const BlobName& name) {
        absl::StatusOr<std::optional<std::string>> bytes =
            ReadOfBackup(backup, from->database->dialect(), source, name);
        if (bytes.ok()) {
          ++result.blobs;
          if (bytes->has_value()) result.blob_bytes += (*bytes)->size();
        }
        return bytes;
      };
      copy.pulse = [&](absl::string_view table) {
        options.on_progress(absl::StrCat("copying table ", table), ++pages, 0);
        return absl::OkStatus();
      };
      const absl::StatusOr<uint64_t> copied = CopyRows(copy);
      if (!copied.ok()) return copied.status();
      return RecordRestore(target, backup, options, result);
    });
  });
  if (!status.ok()) return status;
  return InspectCopy(*to, options);
}

}  // namespace

absl::StatusOr<BackupResult> RestoreBackup(const std::string& backup, const std::string& location,
                                           const BackupOptions& options) {
  std::error_code error;
  if (!fs::is_regular_file(backup, error)) {
    return absl::NotFoundError(absl::StrCat(backup, fs::is_directory(backup, error)
                                                        ? ": is a folder, and a backup is a file"
                                                        : ": there is no such file"));
  }
  BackupResult result;
  result.begun = options.now();
  absl::Status status;
  if (IsShared(location)) {
    status = RestoreShared(backup, location, options, result);
  } else {
    const absl::StatusOr<std::string> directory = DirectoryOf(location);
    if (!directory.ok()) return directory.status();
    status = RestoreEmbedded(backup, *directory, options, result);
  }
  if (!status.ok()) return status;
  return result;
}

}  // namespace gprofhub::store
