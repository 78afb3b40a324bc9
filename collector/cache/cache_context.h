// Shared by the calls of Bazel's remote cache.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "collector/access/caller.h"
#include "collector/calls/fair_share.h"
#include "collector/calls/method.h"
#include "collector/quotas/quotas.h"
#include "store/transfers/transfer_blobs.h"

namespace gprofhub::collector {

struct CacheOptions {
  store::TransferLimits limits;
  // Total of concurrent writes. If it runs short, writes use smaller pieces.
  uint64_t buffer_bytes = 64 << 20;
  // Total of concurrent responses with bytes of blobs.
  uint64_t answer_bytes = 128 << 20;
  // Limit of one such response.
  uint64_t most_read = 32 << 20;
  // Quotas of the projects; outlives the service. Null: no quotas.
  Quotas* quotas = nullptr;
  std::function<absl::Time()> now = absl::Now;
};

// Counters of blobs that were dropped, by reason. To Bazel they count as present.
struct NotTaken {
  std::atomic<uint64_t> of_actions = 0;  // no build event names them
  std::atomic<uint64_t> too_large = 0;
  std::atomic<uint64_t> no_room = 0;
  std::atomic<uint64_t> quota = 0;
};

struct CacheContext {
  CacheContext(store::TransferBlobs transfers, CacheOptions cache_options)
      : blobs(std::move(transfers)),
        options(std::move(cache_options)),
        buffers(options.buffer_bytes),
        answers(options.answer_bytes) {}

  const store::TransferBlobs blobs;
  const CacheOptions options;
  FairShare buffers;
  FairShare answers;
  NotTaken not_taken;
};

// The project that a call is about: the instance's name if there is one, else the token's project,
// else "default". An error unless the caller may do `scope` to it.
absl::StatusOr<std::string> ProjectOf(const Caller& caller, absl::string_view instance,
                                      Scope scope);

// Whether the call uploads files that build events name, by its request metadata. Assumed for calls
// without metadata.
bool IsOfBuildEvents(const CallContext& call);

// Maps an error of the store to a status that makes Bazel retry where a retry can help.
absl::Status ToClient(const absl::Status& status);

// Counts and logs a dropped blob.
void NoteNotTaken(std::atomic<uint64_t>& count, absl::string_view project,
                  const store::TransferDigest& digest, absl::string_view why);

}  // namespace gprofhub::collector
