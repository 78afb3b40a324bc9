// How old what a server answers from is.
#pragma once

#include <functional>
#include <optional>

#include "absl/time/time.h"

namespace gprofhub::collector {

// When the copy of a database that a process reads is from, at least; nullopt: that is not known.
using AsOf = std::function<std::optional<absl::Time>()>;

}  // namespace gprofhub::collector
