// How a decoder asks for what it takes.
#pragma once

#include <cstdint>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "base/decoding/budget.h"

namespace gprofhub::base {

class DecodingPart;

// For whom something is decoded: a call, or a program that reads its own user's files and has no
// bound. A reference, to be copied.
class Decoding {
 public:
  // Without a bound.
  Decoding() = default;
  // `call` outlives it.
  explicit Decoding(DecodingCall& call) : call_(&call) {}

  // Takes so many bytes. Errors as DecodingCall::Take.
  absl::StatusOr<DecodingPart> Take(uint64_t bytes) const;
  // Whether it is worth finding out what something takes.
  bool is_bounded() const { return call_ != nullptr; }
  // What was taken and not given back; and a part that will give back so much of what was left.
  uint64_t used() const { return call_ == nullptr ? 0 : call_->used(); }
  DecodingPart Adopt(uint64_t bytes) const;

  // As DecodingCall::CheckWanted.
  absl::Status CheckWanted() const {
    return call_ == nullptr ? absl::OkStatus() : call_->CheckWanted();
  }
  // For loops over rows: asks at each 4096th.
  absl::Status CheckWantedAt(uint64_t row) const {
    return call_ == nullptr || row % 4096 != 4095 ? absl::OkStatus() : call_->CheckWanted();
  }

 private:
  friend class DecodingScope;
  DecodingCall* call_ = nullptr;
};

// What a decoder has taken. It goes back when this ends.
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

  // The call keeps `bytes` of it to its end: what was decoded stays that long.
  void Leave(uint64_t bytes) { bytes_ -= bytes < bytes_ ? bytes : bytes_; }

 private:
  friend class Decoding;
  DecodingPart(DecodingCall* call, uint64_t bytes) : call_(call), bytes_(bytes) {}

  DecodingCall* call_ = nullptr;
  uint64_t bytes_ = 0;
};

// For values that are gone when it ends: gives back what decoders have left with the call
// meanwhile. Parts that were taken meanwhile end before it.
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

// For a value that grows while it is made. What it takes is left with the call.
class GrowingMemory {
 public:
  explicit GrowingMemory(const Decoding& decoding) : decoding_(decoding) {}

  // The value takes `bytes` now; nothing happens if it took more before. Errors as Decoding::Take.
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
