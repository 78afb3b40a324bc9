// The calls and block executions in a recording.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "profile/recording/chunks.h"
#include "profile/recording/module_map.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// Adds up the tables and counters of all threads: arcs and blocks of the modules,
// Recording::cross_arcs, and calls at addresses outside all modules. The modules must have been
// read already. DataLoss: the counters do not match each other or their sites.
absl::Status ReadCounts(const RecordingBytes& bytes, const std::vector<RecordingChunk>& chunks,
                        const ModuleMap& map, Recording& recording);

}  // namespace gprofhub::profile
