#include "reporter/worker/report_worker.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/http/percent_coding.h"
#include "base/log_fields.h"
#include "base/memory_budget.h"
#include "base/merge_queue.h"
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

std::unique_ptr<base::WorkLoop> StartReporterLoop(const std::string& name,
                                                  base::WorkLoop::Work work) {
  base::WorkLoop::Waits waits;
  waits.min_backoff = absl::Seconds(2);
  waits.max_backoff = absl::Minutes(10);
  return std::make_unique<base::WorkLoop>(
      waits, std::move(work), [name](const absl::Status& error, absl::Duration) {
        spdlog::error("reporter {}: {}", name, error.ToString());
      });
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

// Main branches are renamed rarely.
constexpr absl::Duration kMainBranchEvery = absl::Hours(1);

}  // namespace

MainBranchKeeper::MainBranchKeeper(store::ReportQueue reports, const ForgeByProject& forges,
                                   std::string name, std::function<absl::Time()> now)
    : reports_(std::move(reports)), name_(std::move(name)), now_(std::move(now)) {
  for (const auto& [project, forge] : forges) projects_[forge].push_back(project);
  next_ = projects_.end();
}

absl::StatusOr<bool> MainBranchKeeper::RunOnce() {
  const absl::Time now = now_();
  if (next_ == projects_.end()) {
    if (now < due_) return false;
    due_ = now + kMainBranchEvery;
    next_ = projects_.begin();
  }
  const auto& [forge, projects] = *next_++;
  const absl::StatusOr<std::string> branch = forge->ReadDefaultBranch();
  for (const std::string& project : projects) {
    absl::Status kept = branch.status();
    if (branch.ok()) {
      kept = reports_.SetMainBranch(project, store::MainBranchSource::kForge, *branch,
                                    {"reporter", name_}, now);
    }
    if (!kept.ok()) {
      spdlog::warn("reporter {}: the main branch of {} is not known from its forge: {}", name_,
                   project, std::string(kept.message()));
    }
  }
  return true;
}

namespace {

// Of a part's heading in a comment about several.
constexpr size_t kMostHeading = 500;
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

// The policy of the target branch. If it cannot be read, reports contain the warning, and the
// default applies.
struct TargetPolicy {
  Policy policy;
  std::string warning;
};

absl::StatusOr<TargetPolicy> ReadPolicy(Forge& forge, const PullRequest& pull_request,
                                        Refusals& refusals) {
  absl::StatusOr<std::string> text = forge.ReadFile(pull_request.target_branch, kPolicyFile);
  if (absl::IsNotFound(text.status())) return TargetPolicy{DefaultPolicy(), ""};
  RETURN_IF_ERROR(refusals.Absorb(kPolicyFile, text.status()));
  absl::StatusOr<Policy> policy =
      text.ok() ? ParsePolicy(*text, kPolicyFile) : absl::StatusOr<Policy>(text.status());
  if (policy.ok()) return TargetPolicy{*std::move(policy), ""};
  return TargetPolicy{
      DefaultPolicy(),
      absl::StrCat("the default policy holds, for ",
                   ShortenedAtEnd(ReasonOf(policy.status().message()), kWarningBytes))};
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

bool IsMergeGroup(const store::RunRecord& run) { return base::IsMergeQueueBranch(run.branch); }

// Uploads are untrusted: a base commit that is not on the target branch is dropped. Of a merge
// queue's group, the base is on the group's own branch: the target branch has no group yet.
absl::Status DropForeignBase(Forge& forge, const std::string& branch, v1::Report& report,
                             Refusals& refusals) {
  const std::string commit = report.compared().base().commit();
  if (!report.compared().has_base()) return absl::OkStatus();
  const absl::StatusOr<bool> on_branch = forge.CommitIsOnBranch(commit, branch);
  RETURN_IF_ERROR(refusals.Absorb("verification of the base", on_branch.status()));
  if (on_branch.ok() && *on_branch) return absl::OkStatus();
  report.clear_findings();
  report.mutable_compared()->clear_base();
  report.mutable_compared()->set_baseline_reason(
      absl::StrCat("none: ", commit.substr(0, 12),
                   on_branch.ok() ? " is not on " : " cannot be verified to be on ", branch));
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
      options_(std::move(options)) {}

absl::StatusOr<bool> ReportWorker::RunOnce(const base::StopToken& stopping) {
  return DoReportJob(reports_, store::ReportKind::kPullRequest, options_,
                     [&](const store::ReportJob& job) { return Report(job, stopping); });
}

absl::StatusOr<store::ReportOutcome> ReportWorker::Report(const store::ReportJob& job,
                                                          const base::StopToken& stopping) {
  ASSIGN_OR_RETURN(store::RunRecord run, reading_.ReadRun(job.run_id));
  const auto forge = forges_.find(run.project);
  if (forge == forges_.end()) {
    options_.on_ended({"none", ""});
    return ReportDone(
        absl::StrCat(store::kDisabledNote, "the server has no --forge for the project"));
  }
  ASSIGN_OR_RETURN(std::string number, ParseNumber(run.pull_request));
  // Normalised by the forge, so that "#17" and "17" are equal.
  run.pull_request = number;
  return ReportAt(*forge->second, job, run, stopping);
}

absl::StatusOr<v1::Report> ReportWorker::CompareAt(Forge& forge, const PullRequest& pull_request,
                                                   const store::RunRecord& run, Refusals& refusals,
                                                   const base::StopToken& stopping) {
  v1::CompareRequest request;
  request.set_project(run.project);
  request.set_head(absl::StrCat(run.id));
  const JobBlobs blobs(blobs_, options_.decoding, run.project,
                       [&stopping] { return stopping.IsSet(); });
  absl::StatusOr<v1::Report> report = CompareRuns(reading_, blobs.reader(), request);
  // The run received more data, or the base is in analysis. The end of an analysis of this run
  // queues the report again. The end of an analysis of the base does not.
  if (absl::IsFailedPrecondition(report.status())) {
    return absl::UnavailableError(report.status().message());
  }
  if (!report.ok()) return report.status();
  RETURN_IF_ERROR(DropForeignBase(
      forge, IsMergeGroup(run) ? run.branch : pull_request.target_branch, *report, refusals));
  return report;
}

// A project's runs of one configuration at the pull request's head.
struct ReportPart {
  store::RunRecord run;  // the newest one; its pull request is the forge's number
  v1::Report report;
  GateResult gate;  // points into the report
};

std::vector<std::string> ReportWorker::ProjectsAt(const Forge& forge) const {
  std::vector<std::string> projects;
  for (const auto& [project, place] : forges_) {
    if (place.get() == &forge) projects.push_back(project);
  }
  return projects;
}

namespace {

// More than a commit has in any CI system.
constexpr uint32_t kMostRunsOfCommit = 1000;

store::RunFilter RunsAt(const std::string& project, const std::string& commit) {
  store::RunFilter filter;
  filter.project = project;
  filter.commit = commit;
  filter.counted_only = true;
  filter.by_arrival = true;
  filter.limit = kMostRunsOfCommit;
  return filter;
}

bool IsOfPullRequest(const store::RunRecord& run, const std::string& number) {
  const absl::StatusOr<std::string> of_run = ParseNumber(run.pull_request);
  return of_run.ok() && *of_run == number;
}

// Names tell the parts apart, and are not longer than that takes.
std::vector<std::string> PartNames(const std::deque<ReportPart>& parts) {
  std::set<std::string> projects, configurations;
  for (const ReportPart& part : parts) {
    projects.insert(part.run.project);
    configurations.insert(part.run.configuration);
  }
  std::vector<std::string> names;
  for (const ReportPart& part : parts) {
    const std::string& configuration = part.run.configuration;
    const std::string named = configuration.empty() ? "default configuration" : configuration;
    names.push_back(projects.size() == 1         ? named
                    : configurations.size() == 1 ? part.run.project
                                                 : absl::StrCat(part.run.project, ", ", named));
  }
  return names;
}

}  // namespace

absl::StatusOr<std::deque<ReportPart>> ReportWorker::PartsOf(
    const std::vector<std::string>& projects, const store::RunRecord& run) const {
  std::deque<ReportPart> parts;
  for (const std::string& project : projects) {
    ASSIGN_OR_RETURN(std::vector<store::RunRecord> runs,
                     reading_.ListRuns(RunsAt(project, run.commit)));
    std::map<std::string, store::RunRecord> newest;
    for (store::RunRecord& other : runs) {
      if (!IsOfPullRequest(other, run.pull_request) || other.from_fork != run.from_fork) continue;
      if (IsMergeGroup(other) != IsMergeGroup(run)) continue;
      other.pull_request = run.pull_request;
      newest.try_emplace(other.configuration, std::move(other));
    }
    for (auto& [configuration, of_configuration] : newest) {
      parts.push_back({std::move(of_configuration), {}, {}});
    }
  }
  return parts;
}

absl::StatusOr<std::vector<store::RunState>> ReportWorker::StatesAt(
    const std::vector<std::string>& projects, const std::string& commit) const {
  std::vector<store::RunState> states;
  for (const std::string& project : projects) {
    ASSIGN_OR_RETURN(const std::vector<store::RunState> some,
                     reading_.ListRunStates(RunsAt(project, commit)));
    states.insert(states.end(), some.begin(), some.end());
  }
  return states;
}

absl::Status ReportWorker::MarkChanged(Forge& forge, const PullRequest& pull_request,
                                       const store::ReportJob& job, std::deque<ReportPart>& parts,
                                       Refusals& refusals) const {
  // Without the changed lines the reports are correct, only less specific.
  const absl::StatusOr<ChangedLines> changed = forge.ReadChangedLines(pull_request);
  if (changed.ok()) {
    for (ReportPart& part : parts) MarkChangedLines(*changed, part.report);
    return absl::OkStatus();
  }
  if (!IsRefusal(changed.status()) && options_.now() - job.queued < kDiffPatience) {
    return changed.status();
  }
  refusals.Add("changed lines", changed.status());
  return absl::OkStatus();
}

absl::StatusOr<Posting> ReportWorker::Compose(Forge& forge, const PullRequest& pull_request,
                                              const std::string& comment,
                                              std::deque<ReportPart>& parts, Refusals& refusals,
                                              bool& to_start) {
  ASSIGN_OR_RETURN(const TargetPolicy target, ReadPolicy(forge, pull_request, refusals));
  bool needs_owners = false;
  // The part of each project whose tests a rerun would decide, else its first.
  std::map<std::string, const ReportPart*> to_rerun;
  for (ReportPart& part : parts) {
    if (!target.warning.empty()) part.report.add_warnings(target.warning);
    ASSIGN_OR_RETURN(const std::vector<store::AcknowledgementRecord> acknowledged,
                     gate_.ListAcknowledgements(part.run.project));
    part.gate =
        JudgeGate(part.report, target.policy, acknowledged, part.run.pull_request, options_.now());
    RETURN_IF_ERROR(gate_.AddGated(ToRecords(part.gate, part.run)));
    needs_owners |= !part.gate.gated.empty() || HasMaterialChange(part.report, target.policy);
    const ReportPart*& chosen = to_rerun[part.run.project];
    if (chosen == nullptr || chosen->report.reruns().empty()) chosen = &part;
  }
  std::map<std::string, std::optional<store::RerunRequestRecord>> reruns;
  for (const auto& [project, part] : to_rerun) {
    ASSIGN_OR_RETURN(OpenRerun rerun, SettleRerunRequest(gate_, forge, pull_request, part->run,
                                                         part->report, target.policy.rerun_job,
                                                         options_.now(), options_.give_up_after));
    to_start |= rerun.to_start;
    reruns[project] = std::move(rerun.request);
  }
  CodeOwners owners;
  if (needs_owners) {
    ASSIGN_OR_RETURN(owners, ReadCodeOwners(forge, pull_request, refusals));
  }
  const std::vector<std::string> names = PartNames(parts);
  std::vector<PostingPart> postings;
  for (size_t i = 0; i < parts.size(); ++i) {
    const ReportPart& part = parts[i];
    PostingInput input;
    input.rerun = reruns[part.run.project];
    input.project = comment;
    input.run_id = part.run.id;
    input.commit = part.run.commit;
    input.traits = forge.traits();
    if (parts.size() > 1) {
      input.traits.max_comment_bytes =
          std::max(input.traits.max_comment_bytes / parts.size(), 2 * kMostHeading) - kMostHeading;
    }
    input.checks_url = pull_request.checks_url;
    input.page_url = PageUrl(options_.page_url, part.run);
    if (!options_.picture_key.empty()) {
      input.picture_url = PictureUrls(options_, part.run, part.report);
    }
    input.code_owners = owners;
    postings.push_back({names[i], ComposePosting(part.report, part.gate, target.policy, input)});
  }
  return JoinPostings(std::move(postings), forge.traits());
}

namespace {

// The pull request of the run. For a group of a merge queue, its head is the group's commit while
// that is in the queue.
absl::StatusOr<PullRequest> ReadPullRequestOf(Forge& forge, const store::RunRecord& run) {
  ASSIGN_OR_RETURN(PullRequest pull_request, forge.ReadPullRequest(run.pull_request));
  if (!IsMergeGroup(run)) return pull_request;
  ASSIGN_OR_RETURN(const bool in_queue, forge.CommitIsOnBranch(run.commit, run.branch));
  pull_request.head_commit = in_queue ? run.commit : "";
  pull_request.from_fork = false;  // the queue's branches are the repository's own
  return pull_request;
}

// Whether the base of a group is another group, whose run has not arrived. Until then the changes
// of that group would count as this one's.
absl::StatusOr<bool> WaitsForGroupBefore(Forge& forge, const PullRequest& pull_request,
                                         const ReportPart& part) {
  const std::string& base = part.run.base_commit;
  if (!IsMergeGroup(part.run) || base.empty()) return false;
  if (part.report.compared().base().commit() == base) return false;
  ASSIGN_OR_RETURN(const bool merged, forge.CommitIsOnBranch(base, pull_request.target_branch));
  return !merged;
}

// A merge queue reads checks only: the pull request's comment is about its own head.
absl::StatusOr<PostOutcome> PostAtGroup(Forge& forge, const PullRequest& pull_request,
                                        const Posting& posting, Refusals& refusals) {
  ASSIGN_OR_RETURN(const bool published, forge.PublishCheck(pull_request, posting.check, refusals));
  if (!published) return absl::PermissionDeniedError(refusals.ToString());
  return PostOutcome::kPosted;
}

}  // namespace

absl::StatusOr<std::string> ReportWorker::CompareParts(Forge& forge,
                                                       const PullRequest& pull_request,
                                                       std::deque<ReportPart>& parts,
                                                       Refusals& refusals,
                                                       const base::StopToken& stopping) {
  std::string waits_for;
  for (ReportPart& part : parts) {
    ASSIGN_OR_RETURN(part.report, CompareAt(forge, pull_request, part.run, refusals, stopping));
    if (part.run.rerun == store::RerunRole::kExpected && MayBeDecided(part.report)) {
      waits_for = "waiting for the rerun";
    }
    ASSIGN_OR_RETURN(const bool early, WaitsForGroupBefore(forge, pull_request, part));
    if (early) waits_for = "waiting for the run of the merge queue's group before";
  }
  return waits_for;
}

absl::StatusOr<store::ReportOutcome> ReportWorker::ReportAt(Forge& forge,
                                                            const store::ReportJob& job,
                                                            const store::RunRecord& run,
                                                            const base::StopToken& stopping) {
  ASSIGN_OR_RETURN(PullRequest pull_request, ReadPullRequestOf(forge, run));
  if (!pull_request.open) {
    options_.on_ended({"none", ""});
    return ReportDone("the pull request is closed");
  }
  if (pull_request.head_commit != run.commit) {
    options_.on_ended({"superseded", ""});
    return ReportDone(ResultOf(PostOutcome::kSuperseded));
  }

  const std::vector<std::string> projects = ProjectsAt(forge);
  ASSIGN_OR_RETURN(const std::vector<store::RunState> before, StatesAt(projects, run.commit));
  ASSIGN_OR_RETURN(std::deque<ReportPart> parts, PartsOf(projects, run));
  // Deleted since the job was queued.
  if (parts.empty()) {
    options_.on_ended({"none", ""});
    return ReportDone("the run is gone");
  }
  Refusals refusals;
  std::set<std::string> with_commands;
  for (ReportPart& part : parts) {
    // A request for a rerun is for the run that this report is about.
    const store::RunRecord& subject = part.run.project == run.project ? run : part.run;
    if (!IsMergeGroup(run) && with_commands.insert(part.run.project).second) {
      RETURN_IF_ERROR(
          TakeCommentCommands(gate_, forge, pull_request, subject, options_.now(), refusals));
    }
  }
  ASSIGN_OR_RETURN(const std::string waits_for,
                   CompareParts(forge, pull_request, parts, refusals, stopping));
  if (!waits_for.empty() && options_.now() - job.queued < options_.rerun_wait) {
    options_.on_ended({"waiting", ""});
    return store::ReportOutcome{store::ReportOutcome::Kind::kAgain, waits_for,
                                options_.now() + options_.rerun_poll};
  }
  RETURN_IF_ERROR(MarkChanged(forge, pull_request, job, parts, refusals));
  // The comment is named after one of the projects, whichever the run is of.
  bool to_start = false;
  ASSIGN_OR_RETURN(const Posting posting,
                   Compose(forge, pull_request, projects.front(), parts, refusals, to_start));
  absl::Status ours = reports_.ExtendLease(job, options_.now(), options_.lease);
  if (absl::IsFailedPrecondition(ours)) return ReportDone("taken over");
  if (!ours.ok()) return ours;
  ASSIGN_OR_RETURN(const PostOutcome posted,
                   IsMergeGroup(run) ? PostAtGroup(forge, pull_request, posting, refusals)
                                     : PostReport(forge, pull_request, posting, refusals));
  options_.on_ended({OutcomeOf(posted), ""});
  spdlog::info("reporter {}: run {} on pull request {} of {}{}: {}", options_.name, run.id,
               run.pull_request, run.project, pull_request.from_fork ? " from a fork" : "",
               ResultOf(posted));

  if (posted == PostOutcome::kSuperseded) return ReportDone(ResultOf(posted));
  // The report of another project of this repository may have been overwritten by this one, which
  // was made before that project's data arrived.
  ASSIGN_OR_RETURN(const std::vector<store::RunState> after, StatesAt(projects, run.commit));
  if (after != before) {
    return store::ReportOutcome{store::ReportOutcome::Kind::kAgain,
                                NoteOf("posted; more data arrived meanwhile", run, refusals),
                                options_.now()};
  }
  const bool may_rerun = posted == PostOutcome::kPosted &&
                         std::any_of(parts.begin(), parts.end(), [](const ReportPart& part) {
                           return part.gate.reruns.tests > 0;
                         });
  const Watched watched = {to_start, posting.check.conclusion == Check::Conclusion::kFailure,
                           may_rerun};
  store::ReportOutcome outcome = NextLook(watched, job, ResultOf(posted));
  outcome.note = NoteOf(outcome.note, run, refusals);
  return outcome;
}

store::ReportOutcome ReportWorker::NextLook(const Watched& watched, const store::ReportJob& job,
                                            absl::string_view result) const {
  const absl::Time now = options_.now();
  const absl::Duration age = now - job.queued;
  const absl::Time later = now + std::max(options_.watch_every, age / 20);
  constexpr auto kAgain = store::ReportOutcome::Kind::kAgain;
  if (watched.to_start) {
    return {kAgain, "posted; waiting for the CI job to end", now + options_.watch_every};
  }
  if (watched.fails && age < options_.watch_for) {
    return {kAgain, "posted; waiting for acknowledgements", later};
  }
  if (watched.may_rerun && age < options_.watch_reruns_for) {
    return {kAgain, "posted; somebody may ask for a rerun", later};
  }
  return ReportDone(result);
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
