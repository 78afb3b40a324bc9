// Compares the environments in which the tests of two sides ran: counts are those of the code, as
// long as these are alike.
#pragma once

#include <cstddef>
#include <map>
#include <string>

#include "absl/types/span.h"
#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

using EnvironmentDifferences = google::protobuf::RepeatedPtrField<v1::EnvironmentDifference>;

struct EnvironmentComparison {
  // Why the target cannot be compared, as a clause for people; empty: it can.
  std::string incomparable;
  // Properties that differ. Empty if none of them may change counts.
  EnvironmentDifferences differences;
};

// Of one target. A property that a side does not know is not compared.
EnvironmentComparison CompareEnvironments(absl::Span<const profile::ComputedProfile> before,
                                          absl::Span<const profile::ComputedProfile> after);

// Adds one warning for each set of differences. `targets`: number of targets, by differences in
// words (EnvironmentWords).
void NoteEnvironments(const std::map<std::string, size_t>& targets, v1::Report& report);

}  // namespace gprofhub::reporter
