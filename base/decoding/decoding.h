// How a decoder reserves the memory that it allocates.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decoding/budget.h"

namespace gprofhub::base {

class DecodingPart;

// Handle that decoders reserve memory through: refers to a call, or is unlimited (a program that
// reads its own user's files). Cheap to copy.
class Decoding {
 public:
  // Unlimited.
  Decoding() = default;
  // `call` must outlive the handle.
  explicit Decoding(DecodingCall& call) : call_(&call) {}

  // Reserves `bytes`. Errors as DecodingCall::Take.
  absl::StatusOr<DecodingPart> Take(uint64_t bytes) const;
  // Whether there is a limit. If not, callers need not compute sizes.
  bool is_bounded() const { return call_ != nullptr; }
  // Bytes reserved now; and a part that takes over `bytes` that were left with the call and returns
  // them when it is destroyed.
  uint64_t used() const { return call_ == nullptr ? 0 : call_->used(); }
  DecodingPart Adopt(uint64_t bytes) const;

  // See DecodingCall::CheckWanted.
  absl::Status CheckWanted() const {
    return call_ == nullptr ? absl::OkStatus() : call_->CheckWanted();
  }
  // For loops over rows: checks at every 4096th row.
  absl::Status CheckWantedAt(uint64_t row) const {
    return call_ == nullptr || row % 4096 != 4095 ? absl::OkStatus() : call_->CheckWanted();
  }

 private:
  friend class DecodingScope;
  DecodingCall* call_ = nullptr;
};

// A decoder's reservation. The destructor returns it.
class DecodingPart {
 public:
  DecodingPart() = default;
  DecodingPart(DecodingPart&& other) noexcept
      : call_(std::exchange(other.call_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
  DecodingPart& operator=(DecodingPart&& other) noexcept {
    std::swap(call_, other.call_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~DecodingPart() {
    if (call_ != nullptr) call_->Give(bytes_);
  }

  // Leaves `bytes` of the reservation with the call until the call ends, for decoded values that
  // live that long.
  void Leave(uint64_t bytes) { bytes_ -= bytes < bytes_ ? bytes : bytes_; }

 private:
  friend class Decoding;
  DecodingPart(DecodingCall* call, uint64_t bytes) : call_(call), bytes_(bytes) {}

  DecodingCall* call_ = nullptr;
  uint64_t bytes_ = 0;
};

// For values that die with this scope: the destructor returns what decoders have left with the call
// during the scope. Parts that were taken during the scope must be destroyed before it.
class DecodingScope {
 public:
  explicit DecodingScope(const Decoding& decoding)
      : call_(decoding.call_), before_(call_ == nullptr ? 0 : call_->used()) {}
  ~DecodingScope() {
    if (call_ != nullptr) call_->Give(call_->used() - before_);
  }
  DecodingScope(const DecodingScope&) = delete;
  DecodingScope& operator=(const DecodingScope&) = delete;

 private:
  DecodingCall* const call_;
  const uint64_t before_;
};

inline DecodingPart Decoding::Adopt(uint64_t bytes) const { return DecodingPart(call_, bytes); }

inline absl::StatusOr<DecodingPart> Decoding::Take(uint64_t bytes) const {
  if (call_ == nullptr) return DecodingPart();
  if (absl::Status status = call_->Take(bytes); !status.ok()) return status;
  return DecodingPart(call_, bytes);
}

// Reservation of a value that grows while it is built. It is left with the call.
class GrowingMemory {
 public:
  explicit GrowingMemory(const Decoding& decoding) : decoding_(decoding) {}

  // The value has `bytes` now; no effect if it had more before. Errors as Decoding::Take.
  absl::Status GrowTo(uint64_t bytes) {
    if (bytes <= bytes_) return absl::OkStatus();
    absl::StatusOr<DecodingPart> more = decoding_.Take(bytes - bytes_);
    if (!more.ok()) return more.status();
    more->Leave(bytes - bytes_);
    bytes_ = bytes;
    return absl::OkStatus();
  }

 private:
  const Decoding decoding_;
  uint64_t bytes_ = 0;
};

}  // namespace gprofhub::base
