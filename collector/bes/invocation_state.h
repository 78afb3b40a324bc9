// State of one invocation after its events so far, and the resulting work. A value without locks,
// determined by the events alone, so it can be rebuilt after a restart.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "ci/upload/results/test_attempt.h"
#include "ci/upload/results/test_events.h"
#include "collector/bes/record_attempt.h"
#include "collector/bes/run_of_events.h"
#include "proto/build_events.pb.h"
#include "proto/collector.pb.h"
#include "store/invocations/invocations.h"

namespace gprofhub::collector {

class InvocationState {
 public:
  explicit InvocationState(std::string project) : project_(std::move(project)) {}

  // The next event (kept_event.h). `now`: time of its arrival.
  void Take(build_events::BuildEvent event, absl::Time now);

  // All events have arrived.
  bool ended() const { return events_.ended(); }
  // All events have arrived, and every attempt is done.
  bool IsDone() const { return ended() && waiting_.empty() && under_way_ == 0; }

  // Whether the run's identity is known (RunOfEvents).
  bool RunIsKnown() const { return run_.IsKnown() || ended(); }
  absl::StatusOr<v1::RunInfo> Run() const;

  // The attempts that can be recorded now: the run and the symbol bundles are known. Each is
  // returned once, and is in progress until Done or PutBack.
  std::vector<size_t> TakeReady();
  ci::TestAttempt Attempt(size_t index) const { return events_.Attempt(index); }
  // The run that the attempt belongs to: where tests have several configurations, each has a run
  // of its own (ci/upload/upload.cc does the same).
  absl::StatusOr<v1::RunInfo> RunOf(const ci::TestAttempt& attempt) const;
  // Whether the end of the attempt's log is wanted: for a bounded number of targets, those that
  // failed first, and for each the attempt that failed last.
  bool WantsLogOf(size_t index, const ci::TestAttempt& attempt);
  // Result of an attempt. An attempt that waits for symbol bundles is returned again at the end of
  // the events.
  void Done(size_t index, const RecordedAttempt& recorded);
  // Returns the attempt again at the next TakeReady.
  void PutBack(size_t index);

  // The targets that changed since the last call.
  std::vector<store::InvocationTarget> TakeChangedTargets();

 private:
  store::InvocationTarget& TargetOf(const std::string& label);

  const std::string project_;
  ci::TestEvents events_;
  RunOfEvents run_;
  std::set<std::string> configurations_;  // ids, of tests
  std::set<size_t> waiting_;
  std::set<size_t> until_end_;  // of waiting_
  size_t under_way_ = 0;
  std::map<std::string, size_t> log_of_;  // the attempt whose log a target has, or is to have
  std::map<std::string, store::InvocationTarget> targets_;
  std::set<std::string> changed_;
};

}  // namespace gprofhub::collector
