// Summary of a finished call, for metrics.
#pragma once

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::collector {

struct EndedCall {
  absl::string_view method;  // its name; empty: unknown method
  absl::StatusCode code = absl::StatusCode::kOk;
  absl::string_view refusal;  // as returned by RefusalOf (overloaded.h); empty: it was not refused
  absl::Duration took;
  uint64_t received_bytes = 0;  // of its messages
  uint64_t sent_bytes = 0;
};

// Called from several threads; must not block.
using OnEndedCall = std::function<void(const EndedCall& call)>;

}  // namespace gprofhub::collector
