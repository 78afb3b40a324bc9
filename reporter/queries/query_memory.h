// Caches that queries share. Values are derived from blobs, which are immutable, and keyed by their
// names, so a cached value never becomes stale.
#pragma once

#include <cstdint>

#include "base/memory/kept_values.h"
#include "profile/codec/computed.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Thread-safe.
struct QueryMemory {
  // Byte limit of each cache.
  explicit QueryMemory(uint64_t most_bytes)
      : reports(most_bytes, [](const v1::Report& report) { return report.SpaceUsedLong(); }),
        profiles(most_bytes,
                 [](const profile::ComputedProfile& one) { return profile::MemoryOf(one); }) {}

  base::KeptValues<v1::Report> reports;
  base::KeptValues<profile::ComputedProfile> profiles;
};

}  // namespace gprofhub::reporter
