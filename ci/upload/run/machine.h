// Kind of this machine: times are comparable only within one kind.
#pragma once

#include <string>

#include "absl/strings/string_view.h"

namespace gprofhub::ci {

// "AMD EPYC 7763 64-Core Processor, 2 processors", from the content of Linux's /proc/cpuinfo: its
// model name, or implementer and part on Arm, which has no model name. At most 200 bytes; empty if
// it has neither.
std::string MachineKind(absl::string_view cpuinfo);

}  // namespace gprofhub::ci
