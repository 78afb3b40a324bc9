#include "reporter/queries/find_run.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kShortestCommit = 7;
constexpr size_t kTargetsListed = 20;

std::string TargetList(const std::vector<store::TargetRecord>& targets) {
  std::string list;
  for (size_t i = 0; i < targets.size() && i < kTargetsListed; ++i) {
    absl::StrAppend(&list, "\n  ", targets[i].label);
  }
  if (targets.size() > kTargetsListed) {
    absl::StrAppend(&list, "\n  … and ", targets.size() - kTargetsListed, " more");
  }
  return list;
}

// The most recently uploaded run that matches the filter: of counted profiles, else of stacks, else
// a window.
absl::StatusOr<std::optional<store::RunRecord>> NewestRun(const store::Reading& reading,
                                                          store::RunFilter filter) {
  filter.limit = 1;
  filter.by_arrival = true;
  filter.with_ancestors = true;
  using Kind = store::ProfileKind;
  for (const Kind kind : {Kind::kCounted, Kind::kSampled, Kind::kWindow}) {
    filter.counted_only = kind == Kind::kCounted;
    filter.windows_only = kind == Kind::kWindow;
    absl::StatusOr<std::vector<store::RunRecord>> runs = reading.ListRuns(filter);
    if (!runs.ok()) return runs.status();
    if (!runs->empty()) return std::move(runs->front());
  }
  return std::nullopt;
}

}  // namespace

bool LooksLikeCommit(absl::string_view text) {
  return text.size() >= kShortestCommit && text.size() <= 64 &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

absl::StatusOr<store::RunRecord> FindRun(const store::Reading& reading, absl::string_view project,
                                         absl::string_view text) {
  store::RunFilter filter;
  filter.project = std::string(project);
  if (text.empty() || text == "latest") {
    absl::StatusOr<std::optional<store::RunRecord>> run = NewestRun(reading, filter);
    if (!run.ok()) return run.status();
    if (!run->has_value()) {
      return absl::NotFoundError(
          absl::StrCat("project \"", project, "\" has no runs yet; `gprofhub upload` sends one"));
    }
    return **std::move(run);
  }
  int64_t id = 0;
  if (absl::SimpleAtoi(text, &id)) {
    absl::StatusOr<store::RunRecord> run = reading.ReadRun(id);
    if (run.ok() && run->project == project) return run;
    if (!run.ok() && !absl::IsNotFound(run.status())) return run.status();
  }
  if (LooksLikeCommit(text)) {
    filter.commit = std::string(text);
    absl::StatusOr<std::optional<store::RunRecord>> run = NewestRun(reading, filter);
    if (!run.ok()) return run.status();
    if (run->has_value()) return **std::move(run);
  } else if (id == 0) {
    return absl::InvalidArgumentError(
        absl::StrCat("run: \"", text,
                     "\" is no run id, no commit of at least 7 hexadecimal digits, and not "
                     "\"latest\""));
  }
  return absl::NotFoundError(absl::StrCat("project \"", project, "\" has no run \"", text,
                                          "\"; `gprofhub runs` lists what there is"));
}

absl::Status CheckCounted(const store::RunRecord& run) {
  if (run.profile_kind != store::ProfileKind::kSampled) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat(
      "run ", run.id,
      " holds sampled stacks: its calls are samples, no exact counts, and are for orderings only "
      "(`gprofhub order ",
      run.id, "`)"));
}

absl::Status CheckComparable(const store::RunRecord& run) {
  if (run.profile_kind != store::ProfileKind::kWindow) return CheckCounted(run);
  return absl::FailedPreconditionError(
      absl::StrCat("run ", run.id,
                   " is a window of a program that runs: it did what it was asked in that time, "
                   "so it is compared with nothing (`gprofhub listing ",
                   run.id, "`)"));
}

absl::StatusOr<store::TargetRecord> FindTarget(const store::Reading& reading,
                                               const store::RunRecord& run,
                                               absl::string_view label) {
  absl::StatusOr<std::vector<store::TargetRecord>> targets = reading.ListTargets(run.id);
  if (!targets.ok()) return targets.status();
  if (label.empty() && targets->size() == 1) return targets->front();
  for (const store::TargetRecord& target : *targets) {
    if (target.label == label) return target;
  }
  if (label.empty()) {
    return absl::InvalidArgumentError(absl::StrCat("target: run ", run.id, " has ", targets->size(),
                                                   "; name one of", TargetList(*targets)));
  }
  return absl::NotFoundError(absl::StrCat("target: run ", run.id, " has no \"", label, "\"; it has",
                                          TargetList(*targets)));
}

}  // namespace gprofhub::reporter
