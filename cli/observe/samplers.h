// Values that are sampled at each scrape.
#pragma once

#include "absl/time/time.h"
#include "base/decoding/budget.h"
#include "cli/listen/connection_gate.h"
#include "cli/observe/metrics.h"
#include "cli/observe/store_watch.h"
#include "collector/cache/cache_context.h"

namespace gprofhub::cli {

// Memory, processor time and descriptors of this process, by the names that Prometheus's own client
// libraries use.
void SampleProcess(absl::Time started, std::vector<Sample>& samples);

// Disk, queues and connections of the store.
void SampleStore(const StoreWatch& store, absl::Time now, std::vector<Sample>& samples);

// The memory for decoding.
void SampleDecoding(const base::DecodingBudget& decoding, std::vector<Sample>& samples);

// Connections to the server's own port, and the calls on them.
void SampleConnections(const ConnectionCounts& connections, uint64_t open_calls,
                       std::vector<Sample>& samples);

// Files of Bazel that were not accepted.
void SampleCache(const collector::NotTaken& not_taken, std::vector<Sample>& samples);

}  // namespace gprofhub::cli
