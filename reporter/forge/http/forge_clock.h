// The clock of the forges' clients.
#pragma once

#include <functional>

#include "absl/time/time.h"

namespace gprofhub::reporter {

// How a forge's client reads the time and waits. Tests inject their own.
struct ForgeClock {
  std::function<absl::Time()> now;
  std::function<void(absl::Duration)> sleep;
};

}  // namespace gprofhub::reporter
