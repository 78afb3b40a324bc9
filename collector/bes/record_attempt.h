// Records one test attempt of the build events as an upload would.
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

// Services of the server that recording uses.
struct AttemptRecorder {
  UploadContext& uploads;
  ReadHandedOver read;
};

// The sender.
struct AttemptSender {
  Caller caller;
  std::string request;  // for logs
};

struct RecordedAttempt {
  // Status of the upload: OK if the attempt is in the run, or if there is nothing to record.
  absl::Status status;
  int64_t run_id = 0;              // 0: nothing was recorded
  bool is_new = false;             // recorded now
  bool waits = false;              // waits for symbol bundles: nothing was recorded yet
  std::vector<std::string> notes;  // what was skipped, and why
  std::string log_end;             // of a test that did not pass; empty: not wanted
};

// Extracts the profiles of the attempt's outputs.zip, assigns them to the build's symbol bundles,
// and makes all durable, with the checks and limits of an upload (UploadSession). `run` comes from
// the events; the caller's ID token overrides it. Programs are not read: a profile whose image has
// no bundle is skipped. If `may_wait`, later events may name more bundles, and an attempt that
// lacks one is not recorded yet.
RecordedAttempt RecordAttempt(const AttemptRecorder& recorder, const AttemptSender& sender,
                              const v1::RunInfo& run, const ci::TestAttempt& attempt, bool may_wait,
                              absl::Time now);

}  // namespace gprofhub::collector
