#include "collector/collector_service.h"

#include <spdlog/spdlog.h>

#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "collector/call_deadline.h"
#include "collector/grpc_call.h"

namespace gprofhub::collector {
namespace {

// Says no, in the log as well: the client's own log may be out of reach. Refusals for want of a
// right are logged by the authorizer, which counts them.
grpc::Status Refuse(const Call& call, const absl::Status& status) {
  if (!absl::IsUnauthenticated(status) && !absl::IsPermissionDenied(status)) {
    spdlog::warn("{} from {} refused: {}", call.method, call.peer, status.ToString());
  }
  return ToGrpcStatus(status);
}

}  // namespace

CollectorService::CollectorService(store::Blobs blobs, store::Ingest ingest, Authorizer& authorizer,
                                   Options options)
    : blobs_(std::move(blobs)),
      authorizer_(authorizer),
      options_(std::move(options)),
      uploads_(blobs_, std::move(ingest), options_.limits, options_.in_flight_bytes) {}

grpc::Status CollectorService::FindMissingBlobs(grpc::ServerContext* call,
                                                const v1::FindMissingBlobsRequest* request,
                                                v1::FindMissingBlobsResponse* response) {
  const Call about = CallOf(*call, "FindMissingBlobs");
  absl::Status status = ValidateFindMissing(*request, options_.limits);
  if (!status.ok()) return Refuse(about, status);
  status = authorizer_.Authorize(about, request->project(), Scope::kUpload).status();
  if (!status.ok()) return Refuse(about, status);
  std::vector<store::BlobName> names;
  for (const v1::BlobRef& blob : request->blobs()) names.push_back(blob.sha256());
  const absl::StatusOr<std::vector<store::BlobName>> missing =
      blobs_.FindMissing(request->project(), names);
  if (!missing.ok()) return Refuse(about, missing.status());
  const absl::flat_hash_set<store::BlobName> missing_names(missing->begin(), missing->end());
  for (const v1::BlobRef& blob : request->blobs()) {
    if (missing_names.contains(blob.sha256())) *response->add_missing() = blob;
  }
  return grpc::Status::OK;
}

grpc::Status CollectorService::Upload(grpc::ServerContext* call,
                                      grpc::ServerReader<v1::UploadRequest>* stream,
                                      v1::UploadResponse* response) {
  const CallDeadline deadline(*call, options_.max_upload_time);
  const Call about = CallOf(*call, "Upload");
  UploadSession session(uploads_, [this, &about](absl::string_view project) {
    return authorizer_.Authorize(about, project, Scope::kUpload);
  });
  // What the caller may not send, though it may upload.
  const auto refuse = [&](const absl::Status& status) {
    if (!session.sender().origin.empty()) authorizer_.NoteRefusal(about, session.sender(), status);
    return Refuse(about, status);
  };
  v1::UploadRequest message;
  while (stream->Read(&message)) {
    const absl::Status status = session.Receive(std::move(message));
    if (!status.ok()) return refuse(status);
  }
  if (call->IsCancelled()) {
    return Refuse(about, absl::CancelledError("the stream was cut; nothing was stored"));
  }
  absl::StatusOr<v1::UploadResponse> result = session.Finish(options_.now());
  if (!result.ok()) return refuse(result.status());
  *response = *std::move(result);
  if (!response->already_present()) options_.on_recorded();
  return grpc::Status::OK;
}

}  // namespace gprofhub::collector
