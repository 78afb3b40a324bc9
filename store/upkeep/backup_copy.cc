#include "store/upkeep/backup_copy.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/system/file_descriptor.h"
#include "store/blob_name.h"
#include "store/delta/held_blob.h"
#include "store/sql/transaction.h"
#include "store/sqlite/blob_folder.h"
#include "store/sqlite/small_blobs.h"
#include "store/upkeep/inspection.h"

namespace gprofhub::store {
namespace {

using sql::Row;
using sql::Rows;
using sql::Session;
namespace fs = std::filesystem;

constexpr int64_t kBlobsAtOnce = 500;

absl::Status SyncFolderOf(const std::string& place) {
  const std::string parent = fs::absolute(place).parent_path().string();
  const base::FileDescriptor folder(open(parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid() || fsync(folder.value()) != 0) return FileError("syncing", parent, errno);
  return absl::OkStatus();
}

// On file systems without RENAME_NOREPLACE, a file created at the destination within this moment is
// lost.
int RenameToNothing(const std::string& from, const std::string& to) {
  if (renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
  if (errno != EINVAL && errno != ENOSYS) return -1;
  std::error_code error;
  if (!fs::exists(fs::symlink_status(to, error))) return rename(from.c_str(), to.c_str());
  errno = EEXIST;
  return -1;
}

}  // namespace

absl::Status FileError(absl::string_view doing, const std::string& path, int error) {
  const std::string message = absl::StrCat(doing, " ", path, ": ", std::strerror(error));
  if (error == ENOSPC || error == EDQUOT) return absl::ResourceExhaustedError(message);
  return absl::FailedPreconditionError(message);
}

absl::StatusOr<PartialFolder> PartialFolder::Make(const std::string& place) {
  std::string path = absl::StrCat(place, ".partial.XXXXXX");
  if (mkdtemp(path.data()) == nullptr) return FileError("creating", path, errno);
  return PartialFolder(std::move(path));
}

PartialFolder::~PartialFolder() {
  std::error_code error;
  if (!path_.empty()) fs::remove_all(path_, error);
}

PartialFolder::PartialFolder(PartialFolder&& other) noexcept
    : path_(std::exchange(other.path_, "")) {}

absl::Status PartialFolder::MoveTo(const std::string& place) {
  if (absl::Status status = sqlite::SyncFileSystem(path_); !status.ok()) return status;
  if (rename(path_.c_str(), place.c_str()) != 0) return FileError("renaming to", place, errno);
  path_.clear();
  return SyncFolderOf(place);
}

absl::Status PartialFolder::MoveFileTo(absl::string_view file, const std::string& place) {
  const std::string path = absl::StrCat(path_, "/", file);
  // It contains all of the store's data, so only its owner may read it.
  if (chmod(path.c_str(), S_IRUSR | S_IWUSR) != 0) return FileError("changing", path, errno);
  if (absl::Status status = sqlite::SyncFileSystem(path_); !status.ok()) return status;
  if (RenameToNothing(path, place) != 0) {
    if (errno == EEXIST) return absl::AlreadyExistsError(absl::StrCat(place, ": is there already"));
    return FileError("renaming to", place, errno);
  }
  return SyncFolderOf(place);
}

absl::StatusOr<uint64_t> ForBlobs(sql::Database& copy, const BackupOptions& options,
                                  const std::function<absl::Status(const BlobName& name)>& each) {
  const auto all = sql::ReadIn(
      copy, [](Session& session) { return session.Query("SELECT count(*) FROM blob", {}); });
  if (!all.ok()) return all.status();
  uint64_t done = 0;
  for (BlobName after;;) {
    const absl::StatusOr<Rows> rows = sql::ReadIn(copy, [&](Session& session) {
      return session.Query("SELECT name FROM blob WHERE name > $1 ORDER BY name LIMIT $2",
                           {after, kBlobsAtOnce});
    });
    if (!rows.ok()) return rows.status();
    for (const Row& row : *rows) {
      if (absl::Status status = each(row.Text(0)); !status.ok()) return status;
      ++done;
    }
    options.on_progress("copying blobs", done, static_cast<uint64_t>(all->front().Number(0)));
    if (static_cast<int64_t>(rows->size()) < kBlobsAtOnce) return done;
    after = rows->back().Text(0);
  }
}

absl::StatusOr<CopiedBlob> FindCopied(Session& copy, const sql::Dialect& dialect,
                                      const BlobName& name) {
  absl::StatusOr<std::optional<std::string>> bytes = sqlite::ReadSmallBlob(copy, name);
  if (!bytes.ok()) return bytes.status();
  if (bytes->has_value()) return CopiedBlob{*std::move(bytes), true};
  const absl::StatusOr<std::vector<BlobName>> whole = FindWhole(copy, dialect, {name});
  if (!whole.ok()) return whole.status();
  return CopiedBlob{std::nullopt, !whole->empty()};
}

absl::Status CheckBytes(const BlobName& name, const std::string& bytes, absl::string_view of_what) {
  if (NameBlob(bytes) == name) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(of_what, ": blob ", name,
                                          " no longer hashes to its name; `gprofhub admin fsck` "
                                          "tells what is damaged"));
}

absl::StatusOr<uint64_t> CountArchived(Session& session) {
  const absl::StatusOr<Rows> rows = session.Query("SELECT count(*) FROM archived_blob", {});
  if (!rows.ok()) return rows.status();
  return static_cast<uint64_t>(rows->front().Number(0));
}

absl::Status InspectCopy(const sql::Engine& engine, const BackupOptions& options) {
  std::string first;
  InspectionOptions inspection;
  inspection.hashes = true;
  inspection.now = options.now();
  inspection.on_finding = [&](const InspectionFinding& finding) {
    if (finding.is_damage && first.empty()) {
      first = absl::StrCat(finding.kind, ": ", finding.subject);
    }
  };
  inspection.on_progress = [&](absl::string_view what, uint64_t done, uint64_t all) {
    options.on_progress(absl::StrCat("checking ", what), done, all);
  };
  const absl::StatusOr<InspectionSummary> summary =
      Inspection(engine.database, engine.blob_bytes, /*archive=*/nullptr).Run(inspection);
  if (!summary.ok()) return summary.status();
  if (summary->damages == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      "the copy has ", summary->damages, " damages, as its original does, it may be; the first is ",
      first, "; `gprofhub admin fsck` lists them"));
}

}  // namespace gprofhub::store
