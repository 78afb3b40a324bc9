// What is asked at each scrape.
#pragma once

#include "absl/time/time.h"
#include "cli/observe/metrics.h"
#include "cli/observe/store_watch.h"

namespace gprofhub::cli {

// Memory, processor time and descriptors of this process, by the names that Prometheus's own client
// libraries use.
void SampleProcess(absl::Time started, std::vector<Sample>& samples);

// Disk, queues and connections of the store.
void SampleStore(const StoreWatch& store, absl::Time now, std::vector<Sample>& samples);

}  // namespace gprofhub::cli
