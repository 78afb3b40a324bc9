// The run is recorded for the commit that was built: the work tree's HEAD, or, if that is a merge
// of a change and its target, the change's head. CI systems' variables name it, but jobs may check
// out another commit than the one that started them (`schedule` and `workflow_dispatch` with a
// `ref`, `pull_request_target`). Then HEAD counts, and a pull request that was not built is an
// error.
//
// A change is compared with its base commit; a wrong base attributes other people's changes to it.
// Three cases:
//
//  - CI checked out a merge of the change and its target (GitHub and, where so configured, GitLab,
//    Azure Pipelines and Jenkins do): the measured code contains all of the target, so the base is
//    the merge's other parent.
//  - Otherwise it is the merge base with the target branch, and not the target's newest commit,
//    which the change does not contain.
//  - Commits of the target branch itself have no base; the ancestors are the history.
#include "ci/upload/results/detect_run.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <optional>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/status_macros.h"
#include "ci/upload/results/ci_systems.h"

namespace gprofhub::ci {

namespace {

constexpr size_t kLongestModel = 150;

}  // namespace

std::string MachineKind(absl::string_view cpuinfo) {
  std::map<absl::string_view, std::string> first;
  size_t processors = 0;
  for (const absl::string_view line : absl::StrSplit(cpuinfo, '\n')) {
    const std::pair<absl::string_view, absl::string_view> field =
        absl::StrSplit(line, absl::MaxSplits(':', 1));
    const absl::string_view key = absl::StripAsciiWhitespace(field.first);
    if (key == "processor") ++processors;
    first.try_emplace(key, absl::StripAsciiWhitespace(field.second));
  }
  std::string model = first["model name"];
  if (model.empty() && !first["CPU part"].empty()) {
    model = absl::StrCat("Arm implementer ", first["CPU implementer"], " part ", first["CPU part"]);
  }
  if (model.empty() || processors == 0) return "";
  for (char& c : model) {
    if (!absl::ascii_isprint(static_cast<unsigned char>(c))) c = '?';
  }
  if (model.size() > kLongestModel) model.resize(kLongestModel);
  return absl::StrCat(model, ", ", processors, processors == 1 ? " processor" : " processors");
}

namespace {

constexpr int kMaxAncestors = 100;

// The full hash of the commit that git resolves `name` to; NOT_FOUND if there is none.
absl::StatusOr<std::string> Resolve(const GitCommand& git, const std::string& name) {
  absl::StatusOr<std::string> hash =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (hash.ok() && !base::IsCommitHash(*hash)) {
    return absl::NotFoundError("git returned no full hash");
  }
  return hash;
}

// The commit that an option names.
absl::StatusOr<std::string> ResolveOption(const GitCommand& git, absl::string_view option,
                                          const std::string& value) {
  if (base::IsCommitHash(value)) return value;
  absl::StatusOr<std::string> hash = Resolve(git, value);
  if (!absl::IsNotFound(hash.status())) return hash;
  return absl::InvalidArgumentError(
      absl::StrCat(option, "=", value, " is neither a full hash nor a revision in the workspace"));
}

// The commit of a branch; NOT_FOUND if the clone does not have the branch. CI systems fetch the
// target branch as a remote one; a local one of the same name may be outdated.
absl::StatusOr<std::string> ResolveBranch(const GitCommand& git, const std::string& branch) {
  absl::StatusOr<std::string> hash = Resolve(git, "refs/remotes/origin/" + branch);
  return absl::IsNotFound(hash.status()) ? Resolve(git, "refs/heads/" + branch) : hash;
}

// Default name of the main branch, if neither flags nor the CI system provide it.
std::string MainBranch(const GitCommand& git) {
  if (const auto head = git({"symbolic-ref", "--quiet", "--short", "refs/remotes/origin/HEAD"});
      head.ok()) {
    constexpr absl::string_view kRemote = "origin/";
    if (head->compare(0, kRemote.size(), kRemote.data(), kRemote.size()) == 0) {
      return head->substr(kRemote.size());
    }
  }
  for (const char* name : {"main", "master"}) {
    if (ResolveBranch(git, name).ok()) return name;
  }
  return "";
}

// The branch that the change targets.
std::string TargetBranch(const std::string& of_options, const CiJob& job, const GitCommand& git) {
  if (!of_options.empty()) return of_options;
  return job.target_branch.empty() ? MainBranch(git) : job.target_branch;
}

// Branches of the remote with HEAD at their tip (--points-at) or in their history (--contains).
std::vector<std::string> RemoteBranches(const GitCommand& git, const char* relation) {
  const absl::StatusOr<std::string> names = git(
      {"for-each-ref", relation, "HEAD", "--format=%(refname:lstrip=3)", "refs/remotes/origin"});
  std::vector<std::string> branches;
  if (names.ok()) branches = absl::StrSplit(*names, '\n', absl::SkipEmpty());
  branches.erase(std::remove(branches.begin(), branches.end(), "HEAD"), branches.end());
  return branches;
}

constexpr char kDetached[] = "HEAD";

// The branch that HEAD is on. Of a detached head: its tag, else a branch of the remote that has it,
// preferably the main branch or `preferred`; kDetached if there is none.
std::string BranchOfHead(const GitCommand& git, const std::string& preferred) {
  const absl::StatusOr<std::string> branch = git({"symbolic-ref", "--quiet", "--short", "HEAD"});
  if (branch.ok()) return *branch;
  const absl::StatusOr<std::string> tag =
      git({"for-each-ref", "--points-at", "HEAD", "--sort=-version:refname", "--count=1",
           "--format=%(refname)", "refs/tags"});
  if (tag.ok() && !tag->empty()) return *tag;
  const std::vector<std::string> containing = RemoteBranches(git, "--contains");
  for (const std::string& name : {MainBranch(git), preferred}) {
    if (std::find(containing.begin(), containing.end(), name) != containing.end()) return name;
  }
  const std::vector<std::string> tips = RemoteBranches(git, "--points-at");
  if (!tips.empty()) return tips.front();
  return containing.empty() ? kDetached : containing.front();
}

// Whether `commit` is `tip` or one of its ancestors, as far as this clone knows.
bool IsIn(const GitCommand& git, const std::string& commit, const std::string& tip) {
  if (commit == tip) return true;
  const absl::StatusOr<std::string> base = git({"merge-base", commit, tip});
  return base.ok() && *base == commit;
}

// The commit of the run.
struct Built {
  std::string commit;
  // The target's commit that it was merged with; empty if it was built as it is.
  std::string base = {};
  // The CI system's variables are about another commit: its branch does not apply.
  bool is_of_other_job = false;
};

std::string Short(const std::string& hash) { return hash.substr(0, 12); }

// Of a merge of two commits: the one that is not in the target branch, with the other one as base;
// nullopt if that is not exactly one.
std::optional<Built> MergeWithTarget(const CheckedOut& head, const CiJob& job,
                                     const GitCommand& git) {
  if (head.parents.size() != 2) return std::nullopt;
  const absl::StatusOr<std::string> tip = ResolveBranch(git, TargetBranch("", job, git));
  if (!tip.ok()) return std::nullopt;
  const bool first_is_in = IsIn(git, head.parents[0], *tip);
  if (first_is_in == IsIn(git, head.parents[1], *tip)) return std::nullopt;
  return Built{head.parents[first_is_in ? 1 : 0], head.parents[first_is_in ? 0 : 1]};
}

// A merge that the CI system made in this clone and that no remote has.
bool IsLocalMerge(const CheckedOut& head, const GitCommand& git) {
  if (head.parents.size() < 2) return false;
  const absl::StatusOr<std::string> refs = git(
      {"for-each-ref", "--contains", "HEAD", "--count=1", "--format=%(refname)", "refs/remotes"});
  return refs.ok() && refs->empty();
}

absl::StatusOr<Built> CommitOfVariable(const CheckedOut& head, const CiJob& job,
                                       const GitCommand& git) {
  if (!job.commit_is_checked_out || !IsLocalMerge(head, git)) return Built{head.commit};
  if (const std::optional<Built> merged = MergeWithTarget(head, job, git)) return *merged;
  return absl::FailedPreconditionError(absl::StrCat(
      "the work tree's commit ", Short(head.commit), " is a merge that only this clone has, of ",
      absl::StrJoin(head.parents, " and "),
      ", and git does not know which of them is in the target branch; fetch the target branch, or "
      "pass --commit and --base-commit"));
}

// HEAD is neither the commit of the CI system's variables nor a merge of it.
absl::StatusOr<Built> CommitOfOtherJob(const CheckedOut& head, const CiJob& job,
                                       const GitCommand& git, std::vector<std::string>& warnings) {
  if (!job.run.pull_request().empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the work tree is at commit ", Short(head.commit), ", which is neither the head ",
        Short(job.run.commit()), " of pull request ", job.run.pull_request(),
        " nor a merge of it: the pull request was not measured; check out its head (GitHub: `ref: "
        "${{ github.event.pull_request.head.sha }}`), or pass the commit that was built with "
        "--commit"));
  }
  const absl::StatusOr<std::string> branch = git({"symbolic-ref", "--quiet", "--short", "HEAD"});
  if (branch.ok() && Resolve(git, "refs/remotes/origin/" + *branch).ok() &&
      RemoteBranches(git, "--contains").empty()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the work tree's commit ", Short(head.commit), " on ", *branch,
        " is not on the remote, and is neither the CI job's commit ", Short(job.run.commit()),
        " nor a merge of it with the target branch; pass --commit and --branch"));
  }
  warnings.push_back(absl::StrCat("the work tree is at commit ", Short(head.commit),
                                  ", not at the CI job's commit ", Short(job.run.commit()),
                                  ": the run is recorded for the work tree's commit and branch"));
  return Built{.commit = head.commit, .is_of_other_job = true};
}

absl::StatusOr<Built> FindBuilt(const RunFlags& flags, const CiJob& job,
                                const absl::StatusOr<CheckedOut>& head, const GitCommand& git,
                                std::vector<std::string>& warnings) {
  if (!flags.info.commit().empty()) {
    ASSIGN_OR_RETURN(const std::string commit, ResolveOption(git, "--commit", flags.info.commit()));
    return Built{commit, head.ok() ? head->OtherParent(commit).value_or("") : ""};
  }
  const bool is_named = base::IsCommitHash(job.run.commit());
  if (!head.ok()) {
    if (is_named) return Built{job.run.commit()};
    return absl::FailedPreconditionError(absl::StrCat(
        "cannot determine the commit: ", head.status().message(),
        "; the work tree that was built is this directory, or --workspace; or pass --commit=<full "
        "hash>"));
  }
  if (!is_named) return Built{head->commit};
  if (head->commit == job.run.commit()) return CommitOfVariable(*head, job, git);
  if (const auto other = head->OtherParent(job.run.commit())) {
    if (!job.run.pull_request().empty()) return Built{job.run.commit(), *other};
    // Without a pull request, HEAD may be a commit of another branch that main was merged into.
    const std::optional<Built> merged = MergeWithTarget(*head, job, git);
    if (merged.has_value() && merged->commit == job.run.commit()) return *merged;
  }
  return CommitOfOtherJob(*head, job, git, warnings);
}

bool IsShallow(const GitCommand& git) {
  const absl::StatusOr<std::string> answer = git({"rev-parse", "--is-shallow-repository"});
  return answer.ok() && *answer == "true";
}

constexpr char kFetchHistory[] =
    "fetch the history (GitHub: `fetch-depth: 0`; GitLab: `GIT_DEPTH: 0`)";

// Why there is no merge base, and the remedy.
std::string WhyNoBase(const absl::Status& tip, const absl::Status& base, const GitCommand& git) {
  if (absl::IsNotFound(tip)) {
    return absl::StrCat("the branch is not in this clone, so the run cannot be compared; ",
                        kFetchHistory, ", or pass --base-commit");
  }
  const bool shallow = IsShallow(git);
  const absl::string_view reason = !tip.ok()                 ? tip.message()
                                   : !absl::IsNotFound(base) ? base.message()
                                   : shallow                 ? "this clone is shallow"
                                                             : "no common history";
  return absl::StrCat(reason, ", so the run cannot be compared; ",
                      shallow ? absl::StrCat(kFetchHistory, ", or ") : "", "pass --base-commit");
}

absl::StatusOr<std::string> FindBase(const RunFlags& flags, const CiJob& job, const Built& built,
                                     const v1::RunInfo& info, const GitCommand& git,
                                     std::vector<std::string>& warnings) {
  if (!flags.info.base_commit().empty())
    return ResolveOption(git, "--base-commit", flags.info.base_commit());
  if (flags.target_branch.empty()) {
    if (!built.base.empty()) return built.base;
    if (!built.is_of_other_job && base::IsCommitHash(job.run.base_commit())) {
      return job.run.base_commit();
    }
  }
  const std::string target = TargetBranch(flags.target_branch, job, git);
  // Outside of pull requests a build of the target branch has no base. A pull request may come from
  // a fork's branch of the same name.
  const bool is_change = !info.pull_request().empty();
  if (target.empty() || (!is_change && target == info.branch())) return std::string();
  const absl::StatusOr<std::string> tip = ResolveBranch(git, target);
  const absl::StatusOr<std::string> base = tip.ok() ? git({"merge-base", built.commit, *tip}) : tip;
  if (base.ok() && base::IsCommitHash(*base)) return *base == built.commit ? std::string() : *base;
  warnings.push_back(absl::StrCat("no merge base with ", target, ": ",
                                  WhyNoBase(tip.status(), base.status(), git)));
  return std::string();
}

// First-parent history to search for a baseline: the base and its ancestors, or the ancestors of
// the commit if it has no base.
void AddAncestors(const GitCommand& git, v1::RunInfo& info, std::vector<std::string>& warnings) {
  const std::string& start = info.base_commit().empty() ? info.commit() : info.base_commit();
  const absl::StatusOr<std::string> list = git(
      {"rev-list", "--first-parent", absl::StrCat("--max-count=", kMaxAncestors + 1), start, "--"});
  if (!list.ok()) {
    warnings.push_back(absl::StrCat("no history of ", Short(start), ": ", list.status().message(),
                                    ", so only a run of this commit can be the baseline; ",
                                    kFetchHistory));
    return;
  }
  for (const absl::string_view hash : absl::StrSplit(*list, '\n', absl::SkipEmpty())) {
    if (info.ancestors_size() == kMaxAncestors) break;
    if (base::IsCommitHash(hash) && hash != info.commit()) info.add_ancestors(std::string(hash));
  }
}

void WarnIfDirty(const GitCommand& git, const std::string& commit,
                 std::vector<std::string>& warnings) {
  const absl::StatusOr<std::string> changes =
      git({"status", "--porcelain", "--untracked-files=no"});
  if (!changes.ok()) warnings.emplace_back(changes.status().message());
  if (!changes.ok() || changes->empty()) return;
  const auto count = std::count(changes->begin(), changes->end(), '\n') + 1;
  warnings.push_back(absl::StrCat("the work tree has ", count, " uncommitted change",
                                  count == 1 ? "" : "s", ": the profiles are stored for commit ",
                                  Short(commit), ", which does not contain them"));
}

// Sets the time and the subject of the commit, and the author where the CI system has none.
void AddMessage(const GitCommand& git, v1::RunInfo& info) {
  const absl::StatusOr<std::string> text =
      git({"show", "--no-patch", "--format=%ct%n%an%n%s", info.commit(), "--"});
  if (!text.ok()) return;
  const std::vector<std::string> lines = absl::StrSplit(*text, '\n');
  int64_t seconds = 0;
  if (absl::SimpleAtoi(lines[0], &seconds) && seconds > 0) info.set_commit_unix_ms(seconds * 1000);
  if (info.author().empty() && lines.size() > 1) info.set_author(ShortText(lines[1]));
  if (lines.size() > 2) info.set_commit_subject(ShortText(lines[2]));
}

// Sets what git knows about the commit.
absl::Status AddFromGit(const RunFlags& flags, const CiJob& job, const Built& built,
                        const GitCommand& git, DetectedRun& run) {
  v1::RunInfo& info = run.info;
  if (info.branch().empty()) info.set_branch(BranchOfHead(git, job.run.branch()));
  if (info.branch() == kDetached) {
    run.warnings.emplace_back(
        "the head is detached and no branch of the remote has it; pass "
        "--branch");
  }
  ASSIGN_OR_RETURN(const std::string base, FindBase(flags, job, built, info, git, run.warnings));
  info.set_base_commit(base);
  AddAncestors(git, info, run.warnings);
  AddMessage(git, info);
  WarnIfDirty(git, built.commit, run.warnings);
  return absl::OkStatus();
}

// Sets what the command line and the CI system name, where git fails.
absl::Status AddWithoutGit(const RunFlags& flags, const absl::Status& failure, DetectedRun& run) {
  if (!flags.info.base_commit().empty() && !base::IsCommitHash(flags.info.base_commit())) {
    return failure;
  }
  run.warnings.push_back(absl::StrCat(
      failure.message(), "; until then the work tree is not compared with commit ",
      Short(run.info.commit()), ", and ",
      run.info.base_commit().empty() ? "the run has no base" : "the base's history is unknown"));
  if (run.info.branch().empty()) {
    run.warnings.emplace_back(
        "the branch is unknown, so the run is in no branch's history; pass --branch");
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<DetectedRun> DetectRun(const RunFlags& flags, const RunSources& sources) {
  DetectedRun run;
  const std::optional<CiJob> ci_job = ReadCiJob(sources);
  const CiJob job = ci_job.value_or(CiJob());
  run.ci_system = job.system;
  run.ci_job_key = job.job_key;
  run.warnings = job.warnings;

  const absl::StatusOr<CheckedOut> head = ReadCheckedOut(sources.git);
  ASSIGN_OR_RETURN(const Built built, FindBuilt(flags, job, head, sources.git, run.warnings));
  v1::RunInfo& info = run.info;
  info = job.run;
  // Of another job's commit, the CI system's branch says nothing.
  if (built.is_of_other_job) info.clear_branch();
  const std::string& number = flags.info.pull_request();
  if (!number.empty() && number != info.pull_request()) {
    info.clear_title();
    info.clear_author();
  }
  info.MergeFrom(flags.info);
  info.set_commit(built.commit);
  RETURN_IF_ERROR(head.ok() ? AddFromGit(flags, job, built, sources.git, run)
                            : AddWithoutGit(flags, head.status(), run));
  info.set_ci_link(WithoutCredentials(info.ci_link()));
  if (info.machine().empty()) {
    if (const auto cpuinfo = sources.read_file("/proc/cpuinfo"); cpuinfo.ok()) {
      info.set_machine(MachineKind(*cpuinfo));
    }
  }
  return run;
}

namespace {

using google::protobuf::FieldDescriptor;

// The texts of a run that the workspace status names.
std::vector<const FieldDescriptor*> StatusTexts() {
  constexpr absl::string_view kOfEvents[] = {"project", "run_key", "configuration"};
  const google::protobuf::Descriptor& run = *v1::RunInfo::descriptor();
  std::vector<const FieldDescriptor*> texts;
  for (int i = 0; i < run.field_count(); ++i) {
    const FieldDescriptor* field = run.field(i);
    if (field->type() == FieldDescriptor::TYPE_STRING && !field->is_repeated() &&
        absl::c_find(kOfEvents, field->name()) == std::end(kOfEvents)) {
      texts.push_back(field);
    }
  }
  return texts;
}

void AddStatus(absl::string_view name, absl::string_view value, std::string& text) {
  if (value.empty()) return;
  const std::string line = absl::StrReplaceAll(value, {{"\n", " "}, {"\r", " "}});
  absl::StrAppend(&text, "GPROFHUB_", name, " ", line, "\n");
}

}  // namespace

std::string WorkspaceStatus(const v1::RunInfo& run) {
  std::string text;
  const auto add = [&text](absl::string_view name, absl::string_view value) {
    AddStatus(name, value, text);
  };
  for (const FieldDescriptor* field : StatusTexts()) {
    add(absl::AsciiStrToUpper(field->name()), run.GetReflection()->GetString(run, field));
  }
  if (!run.commit().empty()) add("FROM_FORK", run.from_fork() ? "true" : "false");
  add("ANCESTORS", absl::StrJoin(run.ancestors(), " "));
  if (run.commit_unix_ms() > 0) add("COMMIT_TIME", absl::StrCat(run.commit_unix_ms() / 1000));
  return text;
}

absl::Status ReadWorkspaceStatus(const std::function<std::string(const std::string& key)>& value_of,
                                 v1::RunInfo& run) {
  for (const FieldDescriptor* field : StatusTexts()) {
    std::string text = value_of(absl::AsciiStrToUpper(field->name()));
    if (!text.empty()) run.GetReflection()->SetString(&run, field, std::move(text));
  }
  run.set_ci_link(WithoutCredentials(run.ci_link()));
  const std::string fork = value_of("FROM_FORK");
  if (!fork.empty() && fork != "true" && fork != "false") {
    return absl::InvalidArgumentError("GPROFHUB_FROM_FORK: must be true or false");
  }
  run.set_from_fork(run.from_fork() || fork == "true");
  const std::string ancestors = value_of("ANCESTORS");
  for (const absl::string_view hash : absl::StrSplit(ancestors, ' ', absl::SkipEmpty())) {
    run.add_ancestors(std::string(hash));
  }
  if (const std::string seconds = value_of("COMMIT_TIME"); !seconds.empty()) {
    int64_t value = 0;
    if (!absl::SimpleAtoi(seconds, &value) || value <= 0 || value > INT64_MAX / 1000) {
      return absl::InvalidArgumentError(
          absl::StrCat("GPROFHUB_COMMIT_TIME: must be seconds since 1970, but is ", seconds));
    }
    run.set_commit_unix_ms(value * 1000);
  }
  return absl::OkStatus();
}

std::string NoCommitStatus(const absl::Status& reason) {
  std::string text;
  AddStatus("NO_COMMIT", reason.message(), text);
  return text;
}

}  // namespace gprofhub::ci
