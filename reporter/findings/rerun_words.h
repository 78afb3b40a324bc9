// Texts about tests to rerun.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Totals of Report.reruns.
struct RerunCounts {
  size_t tests = 0;
  uint32_t runs = 0;  // maximum over the tests
};
RerunCounts CountReruns(const v1::Report& report);

// "4 tests would be decided by up to 3 more runs"; empty without reruns.
std::string RerunWords(const RerunCounts& counts);

// "gprofhub rerun-list 12"; without the number if the head is a local directory.
std::string RerunListCommand(const v1::Report& report);

}  // namespace gprofhub::reporter
