// Bounded text for a client, generated from untrusted data: small profiles can have long listings.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/decoding/decoding.h"

namespace gprofhub::cli {

class BoundedText {
 public:
  explicit BoundedText(const base::Decoding& decoding) : memory_(decoding) {}

  // Does nothing once the limit is reached.
  void Append(absl::string_view piece) {
    if (!status_.ok()) return;
    if (text_.size() + piece.size() > text_.capacity()) {
      // During reallocation the old buffer exists, too.
      const size_t room = std::max(2 * text_.capacity(), text_.size() + piece.size());
      if (status_ = memory_.GrowTo(room + text_.capacity()); !status_.ok()) return;
      text_.reserve(room);
    }
    text_.append(piece.data(), piece.size());
  }
  // The whole text; or the error that it did not become whole for: Decoding::Take's.
  absl::StatusOr<std::string> Take() {
    if (!status_.ok()) return status_;
    return std::move(text_);
  }

 private:
  base::GrowingMemory memory_;
  absl::Status status_;
  std::string text_;
};

}  // namespace gprofhub::cli
