// Records one test attempt of the build events as an upload would.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "ci/upload/results/test_events.h"
#include "collector/access/authorizer.h"
#include "collector/bes/remote_caches.h"
#include "collector/upload_session.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// Limits of the build event service.

struct BesLimits {
  uint32_t running_invocations = 200;   // of one project
  uint64_t streams = 2048;              // open, of all projects; one has at most half
  int64_t events = 5'000'000;           // of one invocation
  uint64_t kept_bytes = 96 << 20;       // memory of the kept fields of its events
  uint64_t all_kept_bytes = 256 << 20;  // of invocations in memory; one project has at most half
  uint64_t pending_bytes = 4 << 20;     // of one invocation, being written
  absl::Duration first = absl::Seconds(10);  // until a stream's first event
  absl::Duration silence = absl::Hours(2);   // between two events of a stream: the longest test
  absl::Duration longest = absl::Hours(24);
  // Timeout after which a running invocation without a stream is interrupted; clients reconnect
  // sooner or not at all.
  absl::Duration interrupted_after = absl::Minutes(10);
  // Heartbeat interval of an invocation's owner. After three missed heartbeats another process
  // takes over.
  absl::Duration sign_of_life = absl::Seconds(30);
  // Retention of finished invocations.
  absl::Duration shown_for = absl::Hours(24 * 30);
};

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

// Extracts the profiles of the attempt's outputs, an archive or files that Bazel names one by one,
// assigns them to the build's symbol bundles,
// and makes all durable, with the checks and limits of an upload (UploadSession). `run` comes from
// the events; the caller's ID token overrides it. Programs are not read: a profile whose image has
// no bundle is skipped. If `may_wait`, later events may name more bundles, and an attempt that
// lacks one is not recorded yet.
RecordedAttempt RecordAttempt(const AttemptRecorder& recorder, const AttemptSender& sender,
                              const v1::RunInfo& run, const ci::TestAttempt& attempt, bool may_wait,
                              absl::Time now);

}  // namespace gprofhub::collector
