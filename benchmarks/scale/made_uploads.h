// Synthetic uploads of tests, as clients send them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/functional/function_ref.h"
#include "collector/testing/sample_upload.h"
#include "tests/fault/serve_process.h"

namespace gprofhub::scale {

// Of a run. A test has 60 functions or more; half of them are those of a library that all use.
struct MadeSize {
  int targets = 0;
  int functions = 0;
};

// The target's program as of this version of its code: one function in a hundred is longer than in
// the version before.
std::string MadeBundle(int target, const MadeSize& size, int version);

// Linkage name of a function of the target.
std::string MadeName(int target, int function);

// A profile of that program: `samples` of each function, and three arcs of each, with counts from
// `count`.
std::string MadeProfile(const MadeSize& size, int version, const std::vector<uint16_t>& samples,
                        absl::FunctionRef<uint64_t(int function, int arc)> count);

// The function that the arc, from 1 to 3, of a function leads to.
int CalleeOf(const MadeSize& size, int function, int arc);

// The upload of the target: with a bundle and a profile, both of which it sends, and no run yet.
collector::SampleUpload MadeUpload(int target, const std::string& bundle,
                                   const std::string& profile);

// The server has the bundle already: it is named and not sent.
void SendNoBundle(collector::SampleUpload& upload);

// Sends the uploads of one run, `at_once` at a time, and marks the run as complete. Returns the
// run's id.
std::string SendRun(const tests::ServeProcess& server,
                    const std::vector<collector::SampleUpload>& uploads, int at_once);

}  // namespace gprofhub::scale
