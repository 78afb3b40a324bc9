// One upload from its first message to the acknowledgement, free of transport.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/lru_cache.h"
#include "base/memory_budget.h"
#include "collector/access/authorizer.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "collector/quotas.h"
#include "collector/validate.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/raw_profile.h"
#include "proto/collector.pb.h"
#include "store/ingest.h"
#include "store/reading.h"
#include "store/validation.h"

namespace gprofhub::collector {

// Access of calls: authentication by tokens and limits by quotas.

// `authorizer` and `quotas` outlive it. Null: calls have no quota.
Access AccessOf(Authorizer& authorizer, Quotas* quotas = nullptr);

// Symbol bundles that were checked, by blob name: a bundle is sent once, but named by every
// execution of a run.
using CheckedBundles = base::LruCache<profile::SymbolTable>;

// Shared by all uploads of a process. Thread-safe.
class UploadContext {
 public:
  // `in_flight_bytes` bounds what all uploads together hold; one project's hold at most half.
  // `quotas` and `decoding` outlive the context.
  UploadContext(store::Blobs blobs, store::Ingest ingest, const UploadLimits& limits,
                uint64_t in_flight_bytes, Quotas& quotas, base::MemoryBudget& decoding)
      : blobs_(std::move(blobs)),
        ingest_(std::move(ingest)),
        limits_(limits),
        budget_(in_flight_bytes),
        quotas_(quotas),
        decoding_(decoding) {}

  const store::Blobs& blobs() const { return blobs_; }
  // Memory limit and cache of decoding, shared with other users of decoded contents.
  base::MemoryBudget& decoding() { return decoding_; }
  CheckedBundles& bundles() { return bundles_; }

 private:
  friend class UploadSession;

  const store::Blobs blobs_;
  const store::Ingest ingest_;
  const UploadLimits limits_;
  FairShare budget_;
  Quotas& quotas_;
  base::MemoryBudget& decoding_;
  static constexpr uint64_t kKeptBundleBytes = uint64_t{128} << 20;
  CheckedBundles bundles_{kKeptBundleBytes,
                          [](const profile::SymbolTable& one) { return profile::MemoryOf(one); }};
};

// Receives the messages of one stream in their order. After an error the
// session is over; nothing is stored unless Finish returns OK.
class UploadSession {
 public:
  // Returns the caller if it may upload to this project (Permit).
  using Authorize = std::function<absl::StatusOr<Caller>(absl::string_view project)>;

  // `context` outlives the session; `request` names the upload in logs. `cancelled` returns
  // whether the call is cancelled; null: never.
  UploadSession(UploadContext& context, Authorize authorize, std::string request = "",
                std::function<bool()> cancelled = nullptr)
      : context_(context),
        authorize_(std::move(authorize)),
        request_(std::move(request)),
        cancelled_(std::move(cancelled)),
        quota_(context.quotas_),
        held_bytes_(context.budget_) {}

  // INVALID_ARGUMENT for a message out of order or with a bad field;
  // UNAUTHENTICATED and PERMISSION_DENIED from authorize and SettleRun; DATA_LOSS for a blob
  // whose bytes do not hash to its name; RESOURCE_EXHAUSTED for an upload over
  // its limit, and, with a retry delay (overloaded.h), while uploads in flight hold all the memory
  // available to this project, or above a quota; the store's errors.
  absl::Status Receive(v1::UploadRequest&& message);

  // End of the client's messages: checks that all blobs have arrived and that profiles and bundles
  // can be read and belong together, and makes the execution durable.
  // Errors as above and as Ingest::RecordExecution.
  absl::StatusOr<v1::UploadResponse> Finish(absl::Time now);

  // From the header; empty before it.
  const std::string& project() const { return header_.run().project(); }
  const std::string& target() const { return header_.execution().target(); }

 private:
  using Image = CheckedBundles::Kept;
  struct IncomingBlob {
    uint64_t size = 0;  // announced
    bool held = false;  // the store has it, so it need not be sent
    std::string bytes;
  };

  absl::Status ReceiveHeader(v1::UploadHeader&& header);
  absl::Status ReceiveChunk(const v1::BlobChunk& chunk);
  absl::Status CheckComplete() const;
  absl::Status CheckWanted() const;
  absl::Status CheckContents();
  // The header's i-th image.
  absl::StatusOr<Image> CheckImage(int i, const base::Decoding& decoding);
  // Its i-th profile, which belongs to this image.
  absl::Status CheckProfile(int i, const profile::SymbolTable& image,
                            const base::Decoding& decoding);
  // The blob as received, else as stored; `storage` owns the latter, and its size is charged to
  // `decoding`.
  absl::StatusOr<absl::string_view> BytesOf(const store::BlobName& name,
                                            const base::Decoding& decoding,
                                            std::string& storage) const;
  store::NewExecution TakeExecution();

  UploadContext& context_;
  const Authorize authorize_;
  const std::string request_;
  const std::function<bool()> cancelled_;
  Caller caller_;
  Quotas::Upload quota_;
  Holding held_bytes_;
  uint64_t bytes_received_ = 0;
  bool has_header_ = false;
  v1::UploadHeader header_;
  absl::flat_hash_map<store::BlobName, IncomingBlob> blobs_;
};

// gprofhub.v1.Collector: the handlers of its methods.

class CollectorService {
 public:
  struct Options {
    UploadLimits limits;
    uint64_t in_flight_bytes = 1u << 30;
    // Quotas of the projects; outlives the service. Null: no quotas.
    Quotas* quotas = nullptr;
    // Memory limit of decoding, shared with other users; outlives the service. Null: 768 MiB of its
    // own.
    base::MemoryBudget* decoding = nullptr;
    // Maximum duration of a stream.
    absl::Duration max_upload_time = absl::Minutes(10);
    std::function<absl::Time()> now = absl::Now;
    // Called after each new execution is durable.
    std::function<void()> on_recorded = [] {};
    // Called when a run is complete: its report may be due.
    std::function<void()> on_finished = [] {};
  };

  CollectorService(store::Blobs blobs, store::Ingest ingest, store::Reading reading,
                   Options options);
  CollectorService(const CollectorService&) = delete;
  CollectorService& operator=(const CollectorService&) = delete;

  // For a CallServer; the service outlives it.
  std::vector<Method> Methods();

  // Shared state of its uploads, for other recorders of executions.
  UploadContext& uploads() { return uploads_; }

 private:
  absl::StatusOr<v1::FindMissingBlobsResponse> FindMissingBlobs(
      const v1::FindMissingBlobsRequest& request) const;
  absl::StatusOr<v1::FinishRunResponse> FinishRun(const v1::FinishRunRequest& request,
                                                  const Caller& caller) const;

  const store::Blobs blobs_;
  const store::Ingest ingest_;
  const store::Reading reading_;
  const Options options_;
  Quotas none_;
  base::MemoryBudget own_decoding_;
  UploadContext uploads_;
};

}  // namespace gprofhub::collector
