// Function ordering by call-chain clustering (C3).
#pragma once

#include <cstdint>
#include <vector>

#include "profile/computed.h"

namespace gprofhub {

// Every row of profile.functions once, in the order in which to link them.
// Depends on the profile's values alone. O(arcs log arcs).
std::vector<uint32_t> OrderC3(const ComputedProfile& profile);

}  // namespace gprofhub
