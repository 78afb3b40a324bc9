#include "store/incoming/execution_blobs.h"

#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/sql/blob_rows.h"

namespace gprofhub::store::sql {

ExecutionBlobs::ExecutionBlobs(const NewExecution& execution) : execution_(execution) {
  std::set<BlobName> named;
  for (const ImageRecord& image : execution.images) named.insert(image.bundle);
  for (const ProfileRecord& profile : execution.profiles) named.insert(profile.data);
  names_.assign(named.begin(), named.end());
  list_ = JsonColumn(names_);
}

Statement ExecutionBlobs::Find(const Dialect& dialect) const {
  return FindBlobsToAdd(dialect, execution_.run.project, list_);
}

absl::StatusOr<ExecutionBlobs::Due> ExecutionBlobs::ToDo(const Rows& found) const {
  absl::flat_hash_map<absl::string_view, const Blob*> given;
  for (const Blob& blob : execution_.blobs) given.emplace(blob.name, &blob);
  Due due;
  for (const Row& row : found) {
    const absl::string_view name = row.View(0);
    due.to_mark = due.to_mark || row.Number(2) != 0;
    if (row.Number(1) == 0) continue;
    const auto blob = given.find(name);
    if (blob == given.end()) {
      return absl::FailedPreconditionError(
          absl::StrCat("blob ", name, " is neither given, nor was it sent by project '",
                       execution_.run.project, "' before: send its bytes"));
    }
    due.to_add.push_back(blob->second);
  }
  return due;
}

absl::Status ExecutionBlobs::Send(Session& session, const Dialect& dialect, const Due& due) const {
  std::vector<BlobName> sent;
  for (const Blob* blob : due.to_add) {
    if (absl::Status status = session.AddBlob(*blob); !status.ok()) return status;
    sent.push_back(blob->name);
  }
  if (!sent.empty()) {
    absl::Status status = AddBlobRights(session, dialect, execution_.run.project, sent);
    if (!status.ok()) return status;
  }
  return due.to_mark ? MarkAsUsed(session, dialect, names_) : absl::OkStatus();
}

}  // namespace gprofhub::store::sql
