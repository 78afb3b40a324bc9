// gprofhub.v1.Collector over gRPC: a thin adapter.
#pragma once

#include <functional>

#include "absl/time/time.h"
#include "collector/access/authorizer.h"
#include "collector/upload_session.h"
#include "proto/collector.grpc.pb.h"
#include "store/blobs.h"
#include "store/ingest.h"

namespace gprofhub::collector {

class CollectorService final : public v1::Collector::Service {
 public:
  struct Options {
    UploadLimits limits;
    uint64_t in_flight_bytes = 1u << 30;
    // A stream that takes longer is cut, so that a stalled client does not hold
    // its memory and its thread for ever.
    absl::Duration max_upload_time = absl::Minutes(10);
    std::function<absl::Time()> now = absl::Now;
    // Called after each execution made durable that was not there before.
    std::function<void()> on_recorded = [] {};
  };

  // `authorizer` outlives the service.
  CollectorService(store::Blobs blobs, store::Ingest ingest, Authorizer& authorizer,
                   Options options);

  grpc::Status FindMissingBlobs(grpc::ServerContext* call,
                                const v1::FindMissingBlobsRequest* request,
                                v1::FindMissingBlobsResponse* response) override;
  grpc::Status Upload(grpc::ServerContext* call, grpc::ServerReader<v1::UploadRequest>* stream,
                      v1::UploadResponse* response) override;

 private:
  const store::Blobs blobs_;
  Authorizer& authorizer_;
  const Options options_;
  UploadContext uploads_;
};

}  // namespace gprofhub::collector
