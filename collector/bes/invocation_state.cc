#include "collector/bes/invocation_state.h"

#include <utility>

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {
namespace {

using build_events::BuildEvent;

// Limit on the notes of one target; readers ignore more.
constexpr size_t kMostNoteBytes = 900;

// Per invocation; only the first failing tests have log lines.
constexpr size_t kMostLogs = 100;

std::string StatusName(build_events::TestStatus status) {
  return build_events::TestStatus_IsValid(status) ? build_events::TestStatus_Name(status)
                                                  : absl::StrCat("STATUS_", status);
}

}  // namespace

store::InvocationTarget& InvocationState::TargetOf(const std::string& label) {
  changed_.insert(label);
  store::InvocationTarget& target = targets_[label];
  target.label = label;
  return target;
}

void InvocationState::Take(BuildEvent event, absl::Time now) {
  switch (event.payload_case()) {
    case BuildEvent::kConfigured:
      TargetOf(event.id().target_configured().label());
      for (const auto& child : event.children()) {
        configurations_.insert(child.target_completed().configuration().id());
      }
      break;
    case BuildEvent::kTestResult: {
      const auto& id = event.id().test_result();
      store::InvocationTarget& target = TargetOf(id.label());
      target.status = StatusName(event.test_result().status());
      target.ended = now;
      ++target.attempts;
      configurations_.insert(id.configuration().id());
      waiting_.insert(events_.attempts());
      break;
    }
    case BuildEvent::kTestSummary:
      TargetOf(event.id().test_summary().label()).status =
          StatusName(event.test_summary().overall_status());
      break;
    default:
      run_.Take(event);
      break;
  }
  events_.Take(std::move(event));
}

absl::StatusOr<v1::RunInfo> InvocationState::Run() const {
  absl::StatusOr<v1::RunInfo> run = run_.Run();
  if (run.ok()) run->set_project(project_);
  return run;
}

std::vector<size_t> InvocationState::TakeReady() {
  std::vector<size_t> ready;
  if (!RunIsKnown()) return ready;
  for (const size_t index : waiting_) {
    if (ended() || (events_.HasSymbols(index) && !until_end_.contains(index))) {
      ready.push_back(index);
    }
  }
  for (const size_t index : ready) waiting_.erase(index);
  under_way_ += ready.size();
  return ready;
}

absl::StatusOr<v1::RunInfo> InvocationState::RunOf(const ci::TestAttempt& attempt) const {
  absl::StatusOr<v1::RunInfo> run = Run();
  if (!run.ok()) return run.status();
  run->set_configuration(attempt.configuration);
  std::set<std::string> mnemonics;
  for (const std::string& id : configurations_) mnemonics.insert(events_.Mnemonic(id));
  if (mnemonics.size() > 1) {
    run->set_run_key(absl::StrCat(run->run_key(), "/", attempt.configuration));
  }
  return run;
}

bool InvocationState::WantsLogOf(size_t index, const ci::TestAttempt& attempt) {
  if (attempt.log.empty() || !run_.WantsLogs()) return false;
  const auto known = log_of_.find(attempt.label);
  if (known != log_of_.end()) {
    if (index < known->second) return false;
    known->second = index;
    return true;
  }
  return log_of_.size() < kMostLogs && log_of_.emplace(attempt.label, index).second;
}

void InvocationState::Done(size_t index, const RecordedAttempt& recorded) {
  --under_way_;
  if (recorded.waits) {
    waiting_.insert(index);
    until_end_.insert(index);
    return;
  }
  store::InvocationTarget& target = TargetOf(events_.Attempt(index).label);
  if (recorded.run_id != 0) ++target.recorded;
  const auto log = log_of_.find(target.label);
  if (log != log_of_.end() && log->second == index) target.log_end = recorded.log_end;
  std::vector<std::string> notes = recorded.notes;
  if (!recorded.status.ok()) notes.emplace_back(recorded.status.message());
  for (const std::string& note : notes) {
    if (target.note.size() + note.size() > kMostNoteBytes) break;
    absl::StrAppend(&target.note, target.note.empty() ? "" : "; ", note);
  }
}

void InvocationState::PutBack(size_t index) {
  --under_way_;
  waiting_.insert(index);
}

std::vector<store::InvocationTarget> InvocationState::TakeChangedTargets() {
  std::vector<store::InvocationTarget> changed;
  for (const std::string& label : changed_) changed.push_back(targets_.at(label));
  changed_.clear();
  return changed;
}

}  // namespace gprofhub::collector
