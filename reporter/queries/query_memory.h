// What questions leave for those that come after them. All of it is made of blobs, which never
// change, and is kept by their names: an answer out of it is the answer that would be made anew.
#pragma once

#include <cstdint>

#include "base/memory/kept_values.h"
#include "profile/codec/computed.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Safe to use from several threads.
struct QueryMemory {
  // So many bytes each.
  explicit QueryMemory(uint64_t most_bytes)
      : reports(most_bytes, [](const v1::Report& report) { return report.SpaceUsedLong(); }),
        profiles(most_bytes,
                 [](const profile::ComputedProfile& one) { return profile::MemoryOf(one); }) {}

  base::KeptValues<v1::Report> reports;
  base::KeptValues<profile::ComputedProfile> profiles;
};

}  // namespace gprofhub::reporter
