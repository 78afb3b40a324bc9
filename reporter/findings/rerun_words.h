// What a report says of tests to run again.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "proto/findings.pb.h"

namespace gprofhub::reporter {

// Report.reruns, counted.
struct RerunCounts {
  size_t tests = 0;
  uint32_t runs = 0;  // of one test, at most
};
RerunCounts CountReruns(const v1::Report& report);

// "4 tests would be decided by up to 3 more runs"; empty if there are none.
std::string RerunWords(const RerunCounts& counts);

// "gprofhub rerun-list 12"; without the number where the head is a local folder.
std::string RerunListCommand(const v1::Report& report);

}  // namespace gprofhub::reporter
