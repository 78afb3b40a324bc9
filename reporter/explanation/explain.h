// From a finding to the call paths that lead to it on both sides.
#pragma once

#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// Profiles of the finding's target on the two sides.
struct ExplainedSides {
  std::vector<profile::ComputedProfile> base, head;
};

v1::Explanation Explain(const v1::Compared& compared, const v1::Finding& finding,
                        const ExplainedSides& sides);

}  // namespace gprofhub::reporter
