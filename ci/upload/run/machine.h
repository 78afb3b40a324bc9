// Kind of this machine: times are comparable only within one kind.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::ci {

// "AMD EPYC 7763 64-Core Processor, 2 processors", of the content of Linux's /proc/cpuinfo:
// its model name, or on Arm, where there is none, implementer and part. At most 200 bytes;
// empty if it names neither.
std::string MachineKind(absl::string_view cpuinfo);

}  // namespace gprofhub::ci
