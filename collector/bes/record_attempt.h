// One attempt of a test out of the build events, recorded as if it had been uploaded.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ci/upload/results/test_attempt.h"
#include "collector/access/caller.h"
#include "collector/bes/handed_over.h"
#include "collector/upload_session.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// What recording needs of the server.
struct AttemptRecorder {
  UploadContext& uploads;
  ReadHandedOver read;
};

// Who sends it.
struct AttemptSender {
  Caller caller;
  std::string request;  // for logs
};

struct RecordedAttempt {
  // The upload's: OK if the attempt is in the run, or if there is nothing to record.
  absl::Status status;
  int64_t run_id = 0;              // 0: nothing was recorded
  bool is_new = false;             // recorded now
  bool waits = false;              // for symbol bundles: nothing was recorded yet
  std::vector<std::string> notes;  // what was left out, and why
  std::string log_end;             // of a test that did not pass; empty: not wanted
};

// Takes the profiles out of the attempt's outputs.zip, ties them to the symbol bundles that the
// build made, and makes all durable, with the checks and in the bounds of an upload
// (UploadSession). `run` is what the events say of it; the caller's ID token has the last word.
// Programs are not read: a profile whose image has no bundle is left out. If `may_wait`, more
// bundles may be named later, and an attempt that lacks one is not recorded now.
RecordedAttempt RecordAttempt(const AttemptRecorder& recorder, const AttemptSender& sender,
                              const v1::RunInfo& run, const ci::TestAttempt& attempt, bool may_wait,
                              absl::Time now);

}  // namespace gprofhub::collector
