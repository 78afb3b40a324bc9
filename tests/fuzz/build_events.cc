// Bazel's build event files. For every input, the result is a status that names the file, or
// distinguishable attempts, whose labels are those of all versions of Bazel.

#include <cstdlib>

#include "absl/strings/match.h"
#include "ci/upload/results/output_names.h"
#include "ci/upload/results/test_events.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto log = gprofhub::ci::ParseBuildEvents(bytes, "fuzz.bep");
  if (!log.ok()) {
    if (!absl::StartsWith(log.status().message(), "fuzz.bep: ")) std::abort();
    return 0;
  }
  if (log->invocation_id.empty()) std::abort();
  for (const gprofhub::ci::TestAttempt& attempt : log->attempts) {
    if (attempt.run < 1 || attempt.shard < 1 || attempt.attempt < 1) std::abort();
    if (attempt.status.empty()) std::abort();
    if (gprofhub::ci::ApparentLabel(attempt.label) != attempt.label) std::abort();
  }
  return 0;
}
