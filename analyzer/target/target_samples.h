// The samples of a target's functions.
#pragma once

#include <vector>

#include "analyzer/target/common_rate.h"
#include "analyzer/target/function_space.h"
#include "analyzer/target/target_profile.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// Samples by function, each weighted so that all count at `rate`; the last element is 0, for a node
// "spontaneous". Samples of a module without symbols belong to the whole module.
//
// Also fills the totals of `profile`: rate, dimension, the number of samples, the numbers of those
// in the runtime's own code and in no function, and warnings about lost samples.
std::vector<double> SamplesOfFunctions(const TargetProfile& target, const FunctionSpace& functions,
                                       const CommonRate& rate, profile::ComputedProfile& profile);

}  // namespace gprofhub::analyzer
