// Replication lag of the database that this server reads.
#pragma once

#include <functional>
#include <optional>

#include "absl/time/time.h"

namespace gprofhub::collector {

// Time up to which the replica that a process reads is current; nullopt: unknown.
using AsOf = std::function<std::optional<absl::Time>()>;

}  // namespace gprofhub::collector
