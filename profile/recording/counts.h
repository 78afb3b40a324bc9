// The calls and block executions that a recording holds.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "profile/recording/chunks.h"
#include "profile/recording/module_map.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// Adds up what tables and counters of all threads say: arcs and blocks of the modules,
// Recording::cross_arcs, and calls at addresses of no module. The modules are read already.
// DataLoss: the counters do not fit each other or their sites.
absl::Status ReadCounts(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, Recording& recording);

}  // namespace gprofhub::profile
