// Calls from one module of a process to functions of others.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "profile/raw_profile.h"
#include "profile/recording/recording.h"

namespace gprofhub::profile {

// Calls into one other module.
struct CallsOut {
  std::string path;  // of the other module
  std::string build_id;
  std::vector<RawArc> arcs;  // from_pc is in the caller's module, self_pc in the other
};

// Ascending by the modules' order in the recording; `module` is an index there.
std::vector<CallsOut> CallsOutOf(const Recording& recording, size_t module);

}  // namespace gprofhub::profile
