#include "reporter/worker/report_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/http/percent_coding.h"
#include "base/log_fields.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/forge/rest.h"
#include "reporter/gate/gate.h"
#include "reporter/gate/policy.h"
#include "reporter/posting/post_report.h"
#include "reporter/posting/posting.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/worker/comment_commands.h"
#include "store/upkeep.h"

namespace gprofhub::reporter {

absl::Duration BackoffAfter(const ReportWorkerOptions& options, uint32_t attempts,
                            const absl::Status& error) {
  const absl::Duration wait =
      options.min_backoff * (1 << std::min(std::max(attempts, 1u) - 1, 10u));
  return std::max(std::min(wait, options.max_backoff),
                  RetryAfterOf(error).value_or(absl::ZeroDuration()));
}

store::ReportOutcome ReportDone(absl::string_view note) {
  return {store::ReportOutcome::Kind::kDone, std::string(note), absl::InfinitePast()};
}

absl::StatusOr<bool> DoReportJob(
    const store::ReportQueue& reports, store::ReportKind kind, const ReportWorkerOptions& options,
    const std::function<absl::StatusOr<store::ReportOutcome>(const store::ReportJob&)>& report) {
  ASSIGN_OR_RETURN(const std::optional<store::ReportJob> claimed,
                   reports.Claim(kind, options.name, options.now(), options.lease));
  if (!claimed.has_value()) return false;
  const store::ReportJob& job = *claimed;
  const base::LogFields fields{{"request", job.request}, {"run", absl::StrCat(job.run_id)}};
  absl::StatusOr<store::ReportOutcome> outcome = report(job);
  const absl::Time now = options.now();
  if (!outcome.ok()) {
    const bool final = absl::IsInvalidArgument(outcome.status()) ||
                       absl::IsNotFound(outcome.status()) ||
                       now - job.queued >= options.give_up_after;
    // A worker that stops releases the job for another one immediately.
    const absl::Duration wait = absl::IsCancelled(outcome.status())
                                    ? absl::ZeroDuration()
                                    : BackoffAfter(options, job.attempts, outcome.status());
    const std::string why(outcome.status().message());
    spdlog::warn("reporter {}: report on run {}: {}; {}", options.name, job.run_id, why,
                 final ? "given up" : absl::StrCat("again in ", absl::FormatDuration(wait)));
    options.on_ended({final ? "failed" : "again", ""});
    outcome = store::ReportOutcome{
        final ? store::ReportOutcome::Kind::kFailed : store::ReportOutcome::Kind::kAgain, why,
        now + wait};
  }
  absl::Status finished = reports.Finish(job, *outcome, now);
  // The lease expired and another worker has the job. Doing it twice is harmless.
  if (absl::IsFailedPrecondition(finished)) return true;
  if (!finished.ok()) return finished;
  return true;
}

namespace {

constexpr size_t kWarningBytes = 250;
// A diff that is temporarily unavailable, because it takes the forge too long, may never be
// available. A report is posted without it after this time.
constexpr absl::Duration kDiffPatience = absl::Minutes(15);
// Of pull requests whose refusals were logged.
constexpr size_t kMostLogged = 1000;

// Older comments are rarely read.
constexpr absl::Duration kPicturesLast = absl::Hours(24 * 90);

std::vector<store::GatedRecord> ToRecords(const GateResult& gate, const store::RunRecord& run) {
  std::vector<store::GatedRecord> records;
  for (const GatedFinding& gated : gate.gated) {
    const v1::Finding& finding = *gated.finding;
    if (finding.function().empty()) continue;
    records.push_back(MakeGatedRecord(run, gated.rule, finding.target(), finding.function(),
                                      finding.function_display()));
  }
  return records;
}

// The policy of the target branch. If it cannot be read, the report contains a warning, and the
// default applies.
absl::StatusOr<Policy> ReadPolicy(Forge& forge, const PullRequest& pull_request, v1::Report& report,
                                  Refusals& refusals) {
  absl::StatusOr<std::string> text = forge.ReadFile(pull_request.target_branch, kPolicyFile);
  if (absl::IsNotFound(text.status())) return DefaultPolicy();
  RETURN_IF_ERROR(refusals.Absorb(kPolicyFile, text.status()));
  absl::StatusOr<Policy> policy =
      text.ok() ? ParsePolicy(*text, kPolicyFile) : absl::StatusOr<Policy>(text.status());
  if (policy.ok()) return policy;
  report.add_warnings(
      absl::StrCat("the default policy holds, for ",
                   ShortenedAtEnd(ReasonOf(policy.status().message()), kWarningBytes)));
  return DefaultPolicy();
}

// CODEOWNERS of the target branch.
absl::StatusOr<CodeOwners> ReadCodeOwners(Forge& forge, const PullRequest& pull_request,
                                          Refusals& refusals) {
  for (const char* path : kCodeOwnersFiles) {
    absl::StatusOr<std::string> text = forge.ReadFile(pull_request.target_branch, path);
    if (absl::IsNotFound(text.status())) continue;
    RETURN_IF_ERROR(refusals.Absorb("code owners", text.status()));
    return text.ok() ? ParseCodeOwners(*text) : CodeOwners();
  }
  return CodeOwners();
}

std::string PageUrl(const std::string& pattern, const store::RunRecord& run) {
  return absl::StrReplaceAll(
      pattern, {{"{project}", base::PercentEncoded(run.project)}, {"{run}", absl::StrCat(run.id)}});
}

// The addresses of pictures of findings. They are deterministic, so that an unchanged comment is
// not edited.
std::function<std::string(const v1::Finding&)> PictureUrls(const ReportWorkerOptions& options,
                                                           const store::RunRecord& run,
                                                           const v1::Report& report) {
  TrendPicture picture;
  picture.project = run.project;
  picture.run_id = run.id;
  picture.base_commit = report.compared().base().commit();
  const absl::Time until = absl::FromUnixSeconds(absl::ToUnixSeconds(run.received)) + kPicturesLast;
  return [picture, until, &options](const v1::Finding& finding) {
    TrendPicture of_finding = picture;
    of_finding.function = finding.function();
    of_finding.target = finding.target();
    of_finding.is_time = finding.metric() != v1::Finding::CALLS;
    return absl::StrCat(options.picture_host,
                        SignedPictureAddress(of_finding, until, options.picture_key));
  };
}

// Uploads are untrusted: a base commit that is not on the target branch is dropped.
absl::Status DropForeignBase(Forge& forge, const PullRequest& pull_request, v1::Report& report,
                             Refusals& refusals) {
  const std::string commit = report.compared().base().commit();
  if (!report.compared().has_base()) return absl::OkStatus();
  const absl::StatusOr<bool> on_branch = forge.CommitIsOnBranch(commit, pull_request.target_branch);
  RETURN_IF_ERROR(refusals.Absorb("verification of the base", on_branch.status()));
  if (on_branch.ok() && *on_branch) return absl::OkStatus();
  report.clear_findings();
  report.mutable_compared()->clear_base();
  report.mutable_compared()->set_baseline_reason(
      absl::StrCat("none: ", commit.substr(0, 12),
                   on_branch.ok() ? " is not on " : " cannot be verified to be on ",
                   pull_request.target_branch));
  return absl::OkStatus();
}

// Whether one more run may disprove an alarm. After it, the head has two runs.
bool MayBeDecided(const v1::Report& report) {
  return std::any_of(report.reruns().begin(), report.reruns().end(),
                     [](const v1::Rerun& rerun) { return rerun.alarms(); });
}

// As in EndedReport.
absl::string_view OutcomeOf(PostOutcome outcome) {
  switch (outcome) {
    case PostOutcome::kPosted:
      return "posted";
    case PostOutcome::kSilent:
      return "silent";
    case PostOutcome::kSuperseded:
      return "superseded";
  }
  return "";
}

const char* ResultOf(PostOutcome outcome) {
  switch (outcome) {
    case PostOutcome::kPosted:
      return "posted";
    case PostOutcome::kSilent:
      return "nothing to say";
    case PostOutcome::kSuperseded:
      return "superseded: there is a newer commit or run";
  }
  return "";
}

}  // namespace

ReportWorker::ReportWorker(store::ReportQueue reports, store::Reading reading, store::Blobs blobs,
                           store::GateRecords gate, ForgeByProject forges,
                           ReportWorkerOptions options)
    : reports_(std::move(reports)),
      reading_(std::move(reading)),
      blobs_(std::move(blobs)),
      gate_(std::move(gate)),
      forges_(std::move(forges)),
      options_(std::move(options)),
      loop_({options_.poll, 2 * options_.poll, options_.max_backoff}) {}

void ReportWorker::Run() {
  loop_.Run([this] { return RunOnce(); },
            [this](const absl::Status& error, absl::Duration) {
              spdlog::error("reporter {}: {}", options_.name, error.ToString());
            });
}

void ReportWorker::Stop() { loop_.Stop(); }

void ReportWorker::Wake() { loop_.Wake(); }

absl::StatusOr<bool> ReportWorker::RunOnce() {
  return DoReportJob(reports_, store::ReportKind::kPullRequest, options_,
                     [this](const store::ReportJob& job) { return Report(job); });
}

absl::StatusOr<store::ReportOutcome> ReportWorker::Report(const store::ReportJob& job) {
  ASSIGN_OR_RETURN(store::RunRecord run, reading_.ReadRun(job.run_id));
  const auto forge = forges_.find(run.project);
  if (forge == forges_.end()) {
    options_.on_ended({"none", ""});
    return ReportDone("the server knows no forge of the project");
  }
  ASSIGN_OR_RETURN(std::string number, ParseNumber(run.pull_request));
  // Normalised by the forge, so that "#17" and "17" are equal.
  run.pull_request = number;
  return ReportAt(*forge->second, job, run);
}

absl::StatusOr<v1::Report> ReportWorker::CompareAt(Forge& forge, const PullRequest& pull_request,
                                                   const store::ReportJob& job,
                                                   const store::RunRecord& run,
                                                   Refusals& refusals) {
  v1::CompareRequest request;
  request.set_project(run.project);
  request.set_head(absl::StrCat(run.id));
  const JobBlobs blobs(blobs_, options_.decoding, run.project, [this] { return loop_.Stopping(); });
  absl::StatusOr<v1::Report> report = CompareRuns(reading_, blobs.reader(), request);
  // The run received more data, or the base is in analysis. The end of an analysis of this run
  // queues the report again. The end of an analysis of the base does not.
  if (absl::IsFailedPrecondition(report.status())) {
    return absl::UnavailableError(report.status().message());
  }
  if (!report.ok()) return report.status();
  RETURN_IF_ERROR(DropForeignBase(forge, pull_request, *report, refusals));
  // Without the changed lines the report is correct, only less specific.
  const absl::StatusOr<ChangedLines> changed = forge.ReadChangedLines(pull_request);
  if (changed.ok()) {
    MarkChangedLines(*changed, *report);
  } else if (IsRefusal(changed.status()) || options_.now() - job.queued >= kDiffPatience) {
    refusals.Add("changed lines", changed.status());
  } else {
    return changed.status();
  }
  return report;
}

absl::StatusOr<store::ReportOutcome> ReportWorker::ReportAt(Forge& forge,
                                                            const store::ReportJob& job,
                                                            const store::RunRecord& run) {
  ASSIGN_OR_RETURN(PullRequest pull_request, forge.ReadPullRequest(run.pull_request));
  if (!pull_request.open) {
    options_.on_ended({"none", ""});
    return ReportDone("the pull request is closed");
  }
  if (pull_request.head_commit != run.commit) {
    options_.on_ended({"superseded", ""});
    return ReportDone(ResultOf(PostOutcome::kSuperseded));
  }

  Refusals refusals;
  RETURN_IF_ERROR(TakeCommentCommands(gate_, forge, pull_request, run, options_.now(), refusals));

  ASSIGN_OR_RETURN(v1::Report report, CompareAt(forge, pull_request, job, run, refusals));
  const bool waits = run.rerun == store::RerunRole::kExpected && MayBeDecided(report) &&
                     options_.now() - job.queued < options_.rerun_wait;
  if (waits) {
    options_.on_ended({"waiting", ""});
    return store::ReportOutcome{store::ReportOutcome::Kind::kAgain, "waiting for the rerun",
                                options_.now() + options_.rerun_poll};
  }
  ASSIGN_OR_RETURN(Policy policy, ReadPolicy(forge, pull_request, report, refusals));
  ASSIGN_OR_RETURN(std::vector<store::AcknowledgementRecord> acknowledged,
                   gate_.ListAcknowledgements(run.project));
  const GateResult gate = JudgeGate(report, policy, acknowledged, run.pull_request, options_.now());
  RETURN_IF_ERROR(gate_.AddGated(ToRecords(gate, run)));

  ASSIGN_OR_RETURN(OpenRerun rerun,
                   SettleRerunRequest(gate_, forge, pull_request, run, report, policy.rerun_job,
                                      options_.now(), options_.give_up_after));

  PostingInput input;
  input.rerun = std::move(rerun.request);
  input.project = run.project;
  input.run_id = run.id;
  input.commit = run.commit;
  input.traits = forge.traits();
  input.checks_url = pull_request.checks_url;
  input.page_url = PageUrl(options_.page_url, run);
  if (!options_.picture_key.empty()) input.picture_url = PictureUrls(options_, run, report);
  if (!gate.gated.empty() || HasMaterialChange(report, policy)) {
    ASSIGN_OR_RETURN(CodeOwners owners, ReadCodeOwners(forge, pull_request, refusals));
    input.code_owners = std::move(owners);
  }
  const Posting posting = ComposePosting(report, gate, policy, input);
  absl::Status ours = reports_.ExtendLease(job, options_.now(), options_.lease);
  if (absl::IsFailedPrecondition(ours)) return ReportDone("taken over");
  if (!ours.ok()) return ours;
  ASSIGN_OR_RETURN(PostOutcome posted, PostReport(forge, pull_request, posting, refusals));
  options_.on_ended({OutcomeOf(posted), ""});
  spdlog::info("reporter {}: run {} on pull request {} of {}{}: {}", options_.name, run.id,
               run.pull_request, run.project, pull_request.from_fork ? " from a fork" : "",
               ResultOf(posted));

  const absl::Time now = options_.now();
  const absl::Duration age = now - job.queued;
  if (rerun.to_start && posted != PostOutcome::kSuperseded) {
    return store::ReportOutcome{store::ReportOutcome::Kind::kAgain,
                                NoteOf("posted; waiting for the CI job to end", run, refusals),
                                now + options_.watch_every};
  }
  if (gate.conclusion == GateResult::Conclusion::kFail && posted != PostOutcome::kSuperseded &&
      age < options_.watch_for) {
    return store::ReportOutcome{store::ReportOutcome::Kind::kAgain,
                                NoteOf("posted; waiting for acknowledgements", run, refusals),
                                now + std::max(options_.watch_every, age / 20)};
  }
  if (gate.reruns.tests > 0 && posted == PostOutcome::kPosted && age < options_.watch_reruns_for) {
    return store::ReportOutcome{store::ReportOutcome::Kind::kAgain,
                                NoteOf("posted; somebody may ask for a rerun", run, refusals),
                                now + std::max(options_.watch_every, age / 20)};
  }
  return ReportDone(posted == PostOutcome::kSuperseded ? ResultOf(posted)
                                                       : NoteOf(ResultOf(posted), run, refusals));
}

std::string ReportWorker::NoteOf(const std::string& result, const store::RunRecord& run,
                                 const Refusals& refusals) {
  const std::string key = absl::StrCat(run.project, "\n", run.pull_request);
  if (refusals.empty()) {
    logged_.erase(key);
    return result;
  }
  const std::string missing = refusals.ToString();
  if (logged_.size() >= kMostLogged && !logged_.contains(key)) logged_.clear();
  std::string& logged = logged_[key];
  if (logged != missing) {
    spdlog::warn("reporter {}: pull request {} of {}: the forge refused {}; {}", options_.name,
                 run.pull_request, run.project, missing, result);
    logged = missing;
  }
  return absl::StrCat(store::kIncompleteNote, missing, "; ", result);
}

}  // namespace gprofhub::reporter
