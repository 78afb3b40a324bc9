#include "cli/output/await_analysis.h"

#include <iostream>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "cli/output/progress_line.h"

namespace gprofhub::cli {
namespace {

struct Progress {
  uint32_t pending = 0;
  uint32_t done = 0;
  uint32_t failed = 0;
};

Progress ProgressOf(const v1::ListRunsResponse& runs) {
  Progress progress;
  for (const v1::Run& run : runs.runs()) {
    progress.pending += run.jobs_pending();
    progress.done += run.jobs_done();
    progress.failed += run.jobs_failed();
  }
  return progress;
}

std::string DescribeProgress(const v1::ListRunsResponse& runs, const Progress& progress) {
  return absl::StrCat("analysed ", progress.done, " of ",
                      progress.done + progress.pending + progress.failed, " targets in ",
                      runs.runs_size(), runs.runs_size() == 1 ? " run" : " runs",
                      progress.failed > 0 ? absl::StrCat(", ", progress.failed, " failed") : "");
}

}  // namespace

absl::StatusOr<v1::ListRunsResponse> AwaitAnalysis(
    const std::function<absl::StatusOr<v1::ListRunsResponse>()>& list, uint32_t seconds) {
  ProgressLine line(std::cerr, StderrIsTerminal());
  const absl::Time give_up = absl::Now() + absl::Seconds(seconds);
  for (;;) {
    absl::StatusOr<v1::ListRunsResponse> runs = list();
    if (!runs.ok()) return runs;
    const Progress progress = ProgressOf(*runs);
    line.Show(DescribeProgress(*runs, progress));
    if (progress.pending == 0) return runs;
    if (absl::Now() >= give_up) {
      return absl::DeadlineExceededError(
          absl::StrCat(progress.pending, " targets are not analysed after ", seconds,
                       " s; is a worker running (`gprofhub serve`)?"));
    }
    absl::SleepFor(kPollInterval);
  }
}

uint32_t FailedTargets(const v1::ListRunsResponse& runs) { return ProgressOf(runs).failed; }

}  // namespace gprofhub::cli
