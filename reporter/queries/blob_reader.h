// The store's blobs for one query, with its memory limit for decoding.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "absl/status/statusor.h"
#include "base/decoding/budget.h"
#include "base/decoding/decoding.h"
#include "store/blobs.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

class BlobReader {
 public:
  // Without a limit: for callers whose memory use does not affect others.
  BlobReader(store::Blobs blobs) : blobs_(std::move(blobs)) {}  // NOLINT: blobs are enough
  // The same blobs within this limit.
  BlobReader(const BlobReader& reader, const base::Decoding& decoding)
      : blobs_(reader.blobs_), decoding_(decoding) {}

  // Like Blobs::Read. The size is charged to decoding(), whose errors are passed on.
  absl::StatusOr<std::string> Read(const store::BlobName& name) const {
    if (decoding_.is_bounded()) {
      const absl::StatusOr<uint64_t> size = blobs_.SizeOf(name);
      if (!size.ok()) return size.status();
      absl::StatusOr<base::DecodingPart> memory = decoding_.Take(*size);
      if (!memory.ok()) return memory.status();
      memory->Leave(*size);
    }
    return blobs_.Read(name);
  }
  // Charge decoded values here.
  const base::Decoding& decoding() const { return decoding_; }

 private:
  store::Blobs blobs_;
  base::Decoding decoding_;
};

// The blobs for one job of a project, decoded within its part of the budget.
class JobBlobs {
 public:
  // Keeps a reference to `budget`; null: no limit. `is_over` returns whether the job is cancelled.
  JobBlobs(const store::Blobs& blobs, base::DecodingBudget* budget, const std::string& project,
           std::function<bool()> is_over)
      : reader_(blobs) {
    if (budget == nullptr) return;
    call_.emplace(*budget, project, std::move(is_over));
    reader_ = BlobReader(reader_, base::Decoding(*call_));
  }

  const BlobReader& reader() const { return reader_; }

 private:
  std::optional<base::DecodingCall> call_;
  BlobReader reader_;
};

}  // namespace gprofhub::reporter
