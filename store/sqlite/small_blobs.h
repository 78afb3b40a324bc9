// Small blobs: their bytes are rows of the database.
//
// A file costs an upload three waits for the disk: its bytes, its move, the commit of the row that
// names it. A row's bytes come with the commit, and share it with concurrent transactions
// (group_writer.h): the database's log is the append-only file with one sync for a group. Below
// about 100 KB SQLite also reads rows faster than a file system opens files
// (https://www.sqlite.org/intern-v-extern-blob.html). Large blobs would be written twice, to the
// log and from there to the database, and block all other writers meanwhile: they are files
// (blob_folder.h). In a backup all are rows (store/upkeep/backup.h).
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sqlite {

inline constexpr size_t kMostSmallBytes = 128 << 10;

// The table, for code that copies all of them (schema step 17).
inline constexpr absl::string_view kSmallBlobTable = "small_blob";

inline bool IsSmall(const Blob& blob) { return blob.bytes.size() <= kMostSmallBytes; }

// Adds the bytes for the blob's existing row, unless they exist.
absl::Status AddSmallBlob(sql::Session& session, const Blob& blob);

// Removes the bytes: they are in a file now, or the blob is a delta.
absl::Status RemoveSmallBlob(sql::Session& session, const BlobName& name);

// The bytes, unchecked; nullopt if they are in a file, or the blob is a delta or archived.
// NOT_FOUND without a row of the blob.
absl::StatusOr<std::optional<std::string>> ReadSmallBlob(sql::Session& session,
                                                         const BlobName& name);

}  // namespace gprofhub::store::sqlite
