#include "store/incoming/execution_blobs.h"

#include <set>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/cord.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/sql/blob_rows.h"

namespace gprofhub::store::sql {
namespace {

constexpr absl::string_view kGone = "gprofhub/blob-gone";

absl::Status MissingBlob(const BlobName& name, absl::string_view project) {
  return absl::FailedPreconditionError(
      absl::StrCat("blob ", name, " is neither given, nor was it sent by project '", project,
                   "' before: send its bytes"));
}

}  // namespace

ExecutionBlobs::ExecutionBlobs(const NewExecution& execution) : execution_(execution) {
  std::set<BlobName> named;
  for (const ImageRecord& image : execution.images) named.insert(image.bundle);
  for (const ProfileRecord& profile : execution.profiles) named.insert(profile.data);
  names_.assign(named.begin(), named.end());
}

absl::StatusOr<std::vector<const Blob*>> ExecutionBlobs::ToStage(Session& session,
                                                                 const Dialect& dialect) const {
  const absl::StatusOr<std::vector<BlobName>> missing =
      FindMissingBlobs(session, dialect, execution_.run.project, names_);
  if (!missing.ok()) return missing.status();
  absl::flat_hash_map<absl::string_view, const Blob*> given;
  for (const Blob& blob : execution_.blobs) given.emplace(blob.name, &blob);
  std::vector<const Blob*> to_stage;
  for (const BlobName& name : *missing) {
    const auto blob = given.find(name);
    if (blob == given.end()) return MissingBlob(name, execution_.run.project);
    to_stage.push_back(blob->second);
  }
  return to_stage;
}

absl::Status ExecutionBlobs::AddRows(Session& session, const Dialect& dialect,
                                     absl::Span<const Blob* const> staged) const {
  const std::string& project = execution_.run.project;
  std::vector<BlobName> sent;
  for (const Blob* blob : staged) {
    if (absl::Status status = session.AddBlob(*blob); !status.ok()) return status;
    sent.push_back(blob->name);
  }
  absl::Status status = AddBlobRights(session, dialect, project, sent);
  if (!status.ok()) return status;
  const absl::StatusOr<std::vector<BlobName>> missing =
      FindMissingBlobs(session, dialect, project, names_);
  if (!missing.ok()) return missing.status();
  if (missing->empty()) return MarkAsUsed(session, dialect, names_);
  status = MissingBlob(missing->front(), project);
  status.SetPayload(kGone, absl::Cord());
  return status;
}

bool IsBlobGone(const absl::Status& status) { return status.GetPayload(kGone).has_value(); }

}  // namespace gprofhub::store::sql
