// Reports that all renderers are tried with.
#pragma once

#include <string>
#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

inline constexpr char kSampleTarget[] = "//db:query_test";

// Of one run a side, of one target.
v1::Report SampleReport(const profile::ComputedProfile& before,
                        const profile::ComputedProfile& after);

// More calls of one function, fewer of another, and a new one.
v1::Report JsonReport();

// Names as an attacker would have them.
std::vector<std::string> HostileNames();

// The same, wherever a report has names.
v1::Report HostileReport();

// A test too short for a sample, in which parse calls next four times as often.
v1::Report UnsampledReport();

// Five runs a side, in which the time of all that main calls grows; with call stacks or
// without.
v1::Report TotalsReport(bool with_stacks);

// A total time among the findings of JsonReport.
v1::Report ReportWithTotalTime();

}  // namespace gprofhub::reporter
