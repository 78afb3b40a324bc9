// Identity of an invocation's run: commit, branch, pull request and all other facts that the
// uploader detects locally (ci/upload/run/detect_run.h).
#pragma once

#include <map>
#include <string>

#include "absl/status/statusor.h"
#include "proto/build_events.pb.h"
#include "proto/collector.pb.h"

namespace gprofhub::collector {

// Collects the run's description from the stream of events.
class RunOfEvents {
 public:
  void Take(const build_events::BuildEvent& event);

  // Whether no later event, except the last one, can change the description.
  bool IsKnown() const { return has_status_; }
  // Whether the project wants the ends of the logs of tests that fail (GPROFHUB_TEST_LOGS).
  bool WantsLogs() const { return Said("TEST_LOGS") == "failed"; }

  // The run without its project, configuration and profile kind. Values of --build_metadata
  // override those of the workspace status command. If neither names the commit, all values come
  // from the CI system's variables. FAILED_PRECONDITION if the commit is unknown; INVALID_ARGUMENT
  // for an invalid value.
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
