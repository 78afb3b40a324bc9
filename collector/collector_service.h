// gprofhub.v1.Collector: the handlers of its methods.
#pragma once

#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "collector/calls/method.h"
#include "collector/quotas/quotas.h"
#include "collector/upload_session.h"
#include "proto/collector.pb.h"
#include "store/blobs.h"
#include "store/ingest.h"

namespace gprofhub::collector {

class CollectorService {
 public:
  struct Options {
    UploadLimits limits;
    uint64_t in_flight_bytes = 1u << 30;
    // Quotas of the projects; outlives the service. Null: no quotas.
    Quotas* quotas = nullptr;
    // Memory limit of decoding, shared with other users; outlives the service. Null: 768 MiB of its
    // own.
    base::DecodingBudget* decoding = nullptr;
    // Maximum duration of a stream.
    absl::Duration max_upload_time = absl::Minutes(10);
    std::function<absl::Time()> now = absl::Now;
    // Called after each new execution is durable.
    std::function<void()> on_recorded = [] {};
    // Called when a run is complete: its report may be due.
    std::function<void()> on_finished = [] {};
  };

  CollectorService(store::Blobs blobs, store::Ingest ingest, Options options);
  CollectorService(const CollectorService&) = delete;
  CollectorService& operator=(const CollectorService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<Method> Methods();

  // Shared state of its uploads, for other recorders of executions.
  UploadContext& uploads() { return uploads_; }

 private:
  absl::StatusOr<v1::FindMissingBlobsResponse> FindMissingBlobs(
      const v1::FindMissingBlobsRequest& request) const;
  absl::StatusOr<v1::FinishRunResponse> FinishRun(const v1::FinishRunRequest& request) const;

  const store::Blobs blobs_;
  const store::Ingest ingest_;
  const Options options_;
  Quotas none_;
  base::DecodingBudget own_decoding_;
  UploadContext uploads_;
};

}  // namespace gprofhub::collector
