// The samples of a target's functions.
#pragma once

#include <vector>

#include "analyzer/target/common_rate.h"
#include "analyzer/target/function_space.h"
#include "analyzer/target/target_profile.h"
#include "profile/computed.h"

namespace gprofhub::analyzer {

// By function, each sample weighed so that all count at `rate`; behind them 0 for a node
// "spontaneous". Samples of a module without symbols are those of the module as a whole.
//
// Also fills what `profile` says of all samples: rate, dimension, how many there are, how many
// are the runtime's own or in no function, and warnings of those that are lost.
std::vector<double> SamplesOfFunctions(const TargetProfile& target, const FunctionSpace& functions,
                                       const CommonRate& rate, profile::ComputedProfile& profile);

}  // namespace gprofhub::analyzer
