// Which run an invocation is: commit, branch, pull request and all that the uploader would find out
// on the spot (ci/upload/run/detect_run.h).
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "proto/build_events.pb.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// What the events say of the run, as they come.
class RunOfEvents {
 public:
  void Take(const build_events::BuildEvent& event);

  // Whether all that may be said has been said, but for the end of the events.
  bool IsKnown() const { return has_status_; }
  // Whether the project wants the ends of the logs of tests that fail (GPROFHUB_TEST_LOGS).
  bool WantsLogs() const { return Said("TEST_LOGS") == "failed"; }

  // The run, but for its project, configuration and profile kind. What --build_metadata says goes
  // before what the workspace status command printed. If neither names the commit, all is as the
  // variables of the CI system have it. FAILED_PRECONDITION where nobody names the commit;
  // INVALID_ARGUMENT for a value that makes no sense.
  absl::StatusOr<v1::RunInfo> Run() const;

 private:
  std::string Said(const std::string& key) const;

  std::string invocation_id_;
  int64_t started_unix_ms_ = 0;
  std::map<std::string, std::string> metadata_;
  std::map<std::string, std::string> status_;
  std::map<std::string, std::string> environment_;
  bool has_status_ = false;
};

}  // namespace gprofhub::collector
