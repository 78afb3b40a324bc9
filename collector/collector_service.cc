#include "collector/collector_service.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "collector/access/caller.h"
#include "collector/calls/bounded_parse.h"

namespace gprofhub::collector {
namespace {

constexpr uint64_t kDecodingBytes = uint64_t{768} << 20;

// One stream of Upload.
class UploadHandler final : public CallHandler {
 public:
  UploadHandler(UploadContext& uploads, const CollectorService::Options& options,
                const CallContext& context)
      : options_(options),
        session_(
            uploads,
            [caller = context.caller](absl::string_view project) -> absl::StatusOr<Caller> {
              if (absl::Status status = Permit(caller, project, Scope::kUpload); !status.ok()) {
                return status;
              }
              return caller;
            },
            context.request, context.cancelled) {}

  absl::Status Receive(absl::string_view bytes) override {
    v1::UploadRequest message;
    if (absl::Status status = ParseBounded(bytes, message); !status.ok()) return status;
    return session_.Receive(std::move(message));
  }

  absl::StatusOr<NextMessage> Answer() override {
    const absl::StatusOr<v1::UploadResponse> response = session_.Finish(options_.now());
    if (!response.ok()) return response.status();
    spdlog::info("{} in run {} of {} received: {} profiles, {} bytes{}", session_.target(),
                 response->run_id(), session_.project(), response->profiles(),
                 response->bytes_received(), response->already_present() ? "; it was there" : "");
    if (!response->already_present()) options_.on_recorded();
    return OneMessage(response->SerializeAsString());
  }

 private:
  const CollectorService::Options& options_;
  UploadSession session_;
};

}  // namespace

CollectorService::CollectorService(store::Blobs blobs, store::Ingest ingest, Options options)
    : blobs_(std::move(blobs)),
      ingest_(std::move(ingest)),
      options_(std::move(options)),
      none_(nullptr),
      own_decoding_(kDecodingBytes),
      uploads_(blobs_, ingest_, options_.limits, options_.in_flight_bytes,
               options_.quotas == nullptr ? none_ : *options_.quotas,
               options_.decoding == nullptr ? own_decoding_ : *options_.decoding) {}

std::vector<Method> CollectorService::Methods() {
  Method upload;
  upload.name = "/gprofhub.v1.Collector/Upload";
  upload.one_message = false;
  upload.longest = options_.max_upload_time;
  upload.start = [this](const CallContext& context) {
    return std::make_unique<UploadHandler>(uploads_, options_, context);
  };
  return {
      UnaryMethod<v1::FindMissingBlobsRequest>(
          "/gprofhub.v1.Collector/FindMissingBlobs", Scope::kUpload,
          [this](const v1::FindMissingBlobsRequest& request, const CallContext&) {
            return FindMissingBlobs(request);
          }),
      UnaryMethod<v1::FinishRunRequest>("/gprofhub.v1.Collector/FinishRun", Scope::kUpload,
                                        [this](const v1::FinishRunRequest& request,
                                               const CallContext&) { return FinishRun(request); }),
      std::move(upload)};
}

absl::StatusOr<v1::FindMissingBlobsResponse> CollectorService::FindMissingBlobs(
    const v1::FindMissingBlobsRequest& request) const {
  if (absl::Status status = ValidateFindMissing(request, options_.limits); !status.ok()) {
    return status;
  }
  std::vector<store::BlobName> names;
  for (const v1::BlobRef& blob : request.blobs()) names.push_back(blob.sha256());
  const absl::StatusOr<std::vector<store::BlobName>> missing =
      blobs_.FindToSend(request.project(), names);
  if (!missing.ok()) return missing.status();
  const absl::flat_hash_set<store::BlobName> missing_names(missing->begin(), missing->end());
  v1::FindMissingBlobsResponse response;
  for (const v1::BlobRef& blob : request.blobs()) {
    if (missing_names.contains(blob.sha256())) *response.add_missing() = blob;
  }
  return response;
}

absl::StatusOr<v1::FinishRunResponse> CollectorService::FinishRun(
    const v1::FinishRunRequest& request) const {
  int64_t run_id = 0;
  if (!absl::SimpleAtoi(request.run_id(), &run_id) || run_id <= 0) {
    return absl::InvalidArgumentError("run_id: not the number of a run");
  }
  absl::Status status = ingest_.FinishRun(request.project(), run_id, options_.now());
  if (!status.ok()) return status;
  options_.on_finished();
  return v1::FinishRunResponse();
}

}  // namespace gprofhub::collector
