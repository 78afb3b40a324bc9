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

// Says no, in the log as well: the client's own log may be out of reach.
grpc::Status Refuse(const grpc::ServerContext& call, absl::string_view method,
                    const absl::Status& status) {
  spdlog::warn("{} from {} refused: {}", std::string(method), call.peer(), status.ToString());
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
  absl::Status status = ValidateFindMissing(*request, options_.limits);
  if (status.ok()) status = authorizer_.Authorize(AuthorizationOf(*call), request->project());
  if (!status.ok()) return Refuse(*call, "FindMissingBlobs", status);
  std::vector<store::BlobName> names;
  for (const v1::BlobRef& blob : request->blobs()) names.push_back(blob.sha256());
  const absl::StatusOr<std::vector<store::BlobName>> missing = blobs_.FindMissing(names);
  if (!missing.ok()) return Refuse(*call, "FindMissingBlobs", missing.status());
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
  UploadSession session(uploads_,
                        [this, authorization = AuthorizationOf(*call)](absl::string_view project) {
                          return authorizer_.Authorize(authorization, project);
                        });
  v1::UploadRequest message;
  while (stream->Read(&message)) {
    const absl::Status status = session.Receive(std::move(message));
    if (!status.ok()) return Refuse(*call, "Upload", status);
  }
  if (call->IsCancelled()) {
    return Refuse(*call, "Upload", absl::CancelledError("the stream was cut; nothing was stored"));
  }
  absl::StatusOr<v1::UploadResponse> result = session.Finish(options_.now());
  if (!result.ok()) return Refuse(*call, "Upload", result.status());
  *response = *std::move(result);
  if (!response->already_present()) options_.on_recorded();
  return grpc::Status::OK;
}

}  // namespace gprofhub::collector
