// Sample reports for tests of renderers.
#pragma once

#include <string>
#include <vector>

#include "profile/computed.h"
#include "proto/findings.pb.h"

namespace gprofhub::reporter {

inline constexpr char kSampleTarget[] = "//db:query_test";

// One run per side, one target.
v1::Report SampleReport(const profile::ComputedProfile& before,
                        const profile::ComputedProfile& after);

// More calls of one function, fewer of another, and a new one.
v1::Report JsonReport();

// Names chosen by an attacker.
std::vector<std::string> HostileNames();

// The same names in every name field of a report.
v1::Report HostileReport();

// A test that is too short for a sample, in which parse calls next four times as often.
v1::Report UnsampledReport();

// Five runs per side, in which the total time of main grows; with or without call stacks.
v1::Report TotalsReport(bool with_stacks);

// A total time among the findings of JsonReport.
v1::Report ReportWithTotalTime();

}  // namespace gprofhub::reporter
