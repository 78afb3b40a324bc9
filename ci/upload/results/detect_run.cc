// A change is compared with its base commit; a wrong base attributes other people's changes to it.
// Three cases:
//
//  - CI checked out a merge of the change into its target (GitHub and, where so configured, GitLab
//    and Jenkins do): the measured code contains all of the target, so the base is the merge's
//    first parent.
//  - Otherwise it is the merge base with the target branch, and not the target's newest commit,
//  which
//    the change does not contain.
//  - Commits of the target branch itself have no base; the ancestors are the history.
#include "ci/upload/results/detect_run.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <map>
#include <optional>
#include <utility>

#include "absl/algorithm/container.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
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

bool IsFullHash(absl::string_view text) {
  return (text.size() == 40 || text.size() == 64) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return absl::ascii_isdigit(c) || (c >= 'a' && c <= 'f'); });
}

// The full hash of the commit that git resolves `name` to; nullopt if it does not.
std::optional<std::string> Resolve(const GitCommand& git, const std::string& name) {
  const absl::StatusOr<std::string> hash =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!hash.ok() || !IsFullHash(*hash)) return std::nullopt;
  return *hash;
}

// The commit of a branch. CI systems fetch the target branch as a remote one; a local one of the
// same name may be outdated.
std::optional<std::string> ResolveBranch(const GitCommand& git, const std::string& branch) {
  for (const char* prefix : {"refs/remotes/origin/", "refs/heads/"}) {
    if (std::optional<std::string> hash = Resolve(git, prefix + branch)) return hash;
  }
  return std::nullopt;
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
    if (ResolveBranch(git, name)) return name;
  }
  return "";
}

absl::StatusOr<std::string> FindCommit(const RunFlags& flags, const CiJob& job,
                                       const GitCommand& git) {
  const std::string& given = flags.info.commit();
  if (IsFullHash(given)) return given;
  if (!given.empty()) {
    if (std::optional<std::string> hash = Resolve(git, given)) return *hash;
    return absl::InvalidArgumentError(absl::StrCat(
        "--commit=", given, " is neither a full hash nor a revision in the workspace"));
  }
  if (IsFullHash(job.run.commit())) return job.run.commit();
  const absl::StatusOr<std::string> head = git({"rev-parse", "--verify", "HEAD^{commit}"});
  if (head.ok() && IsFullHash(*head)) return *head;
  return absl::FailedPreconditionError(
      absl::StrCat("cannot determine the commit: ",
                   head.ok() ? "git returned no full hash" : head.status().message(),
                   "; run this inside the git work tree that was built (or pass it with "
                   "--workspace), or pass --commit=<full hash>"));
}

std::string BranchOfHead(const GitCommand& git) {
  const absl::StatusOr<std::string> branch = git({"symbolic-ref", "--quiet", "--short", "HEAD"});
  return branch.ok() ? *branch : "";  // a detached head is on no branch
}

// If the checked-out commit is a merge whose second parent is `commit`: its first parent; else
// nullopt.
std::optional<std::string> BaseOfCheckedOutMerge(const GitCommand& git, const std::string& commit) {
  const std::optional<std::string> head = Resolve(git, "HEAD");
  if (!head || *head == commit || Resolve(git, "HEAD^2") != commit) return std::nullopt;
  return Resolve(git, "HEAD^1");
}

// The base of the run `info`, which has everything else that decides it.
absl::StatusOr<std::string> FindBase(const RunFlags& flags, const CiJob& job,
                                     const v1::RunInfo& info, const GitCommand& git,
                                     std::vector<std::string>& warnings) {
  const std::string& commit = info.commit();
  if (const std::string& given = flags.info.base_commit(); !given.empty()) {
    if (IsFullHash(given)) return given;
    if (std::optional<std::string> hash = Resolve(git, given)) return *hash;
    return absl::InvalidArgumentError(absl::StrCat(
        "--base-commit=", given, " is neither a full hash nor a revision in the workspace"));
  }
  if (flags.target_branch.empty()) {
    if (const auto base = BaseOfCheckedOutMerge(git, commit)) return *base;
    if (IsFullHash(job.run.base_commit())) return job.run.base_commit();
  }
  std::string target = flags.target_branch.empty() ? job.target_branch : flags.target_branch;
  if (target.empty()) target = MainBranch(git);
  // Outside of pull requests a build of the target branch has no base. A pull request may come from
  // a fork's branch of the same name.
  const bool is_change = !info.pull_request().empty();
  if (target.empty() || (!is_change && target == info.branch())) return std::string();
  const std::optional<std::string> tip = ResolveBranch(git, target);
  const absl::StatusOr<std::string> base =
      tip ? git({"merge-base", commit, *tip})
          : absl::FailedPreconditionError("the branch is not in this clone");
  if (base.ok() && IsFullHash(*base)) return *base == commit ? std::string() : *base;
  warnings.push_back(
      absl::StrCat("no merge base with ", target,
                   base.ok() ? "" : absl::StrCat(" (", base.status().message(), ")"),
                   ", so the run cannot be compared; fetch the history (GitHub: `fetch-depth: 0`; "
                   "GitLab: `GIT_DEPTH: 0`), or pass --base-commit"));
  return std::string();
}

// First-parent history to search for a baseline: the base and its ancestors, or the ancestors of
// the commit if it has no base.
void AddAncestors(const GitCommand& git, v1::RunInfo& info) {
  const std::string& start = info.base_commit().empty() ? info.commit() : info.base_commit();
  const absl::StatusOr<std::string> list = git(
      {"rev-list", "--first-parent", absl::StrCat("--max-count=", kMaxAncestors + 1), start, "--"});
  if (!list.ok()) return;
  for (const absl::string_view hash : absl::StrSplit(*list, '\n', absl::SkipEmpty())) {
    if (info.ancestors_size() == kMaxAncestors) break;
    if (IsFullHash(hash) && hash != info.commit()) info.add_ancestors(std::string(hash));
  }
}

void WarnIfDirty(const GitCommand& git, const std::string& commit,
                 std::vector<std::string>& warnings) {
  const absl::StatusOr<std::string> changes =
      git({"status", "--porcelain", "--untracked-files=no"});
  if (!changes.ok() || changes->empty()) return;
  const auto count = std::count(changes->begin(), changes->end(), '\n') + 1;
  warnings.push_back(absl::StrCat("the work tree has ", count, " uncommitted change",
                                  count == 1 ? "" : "s", ": the profiles are stored for commit ",
                                  commit.substr(0, 12), ", which does not contain them"));
}

}  // namespace

absl::StatusOr<DetectedRun> DetectRun(const RunFlags& flags, const RunSources& sources) {
  DetectedRun run;
  const std::optional<CiJob> ci_job = ReadCiJob(sources);
  const CiJob job = ci_job.value_or(CiJob());
  run.ci_system = job.system;
  run.ci_job_key = job.job_key;
  run.warnings = job.warnings;

  ASSIGN_OR_RETURN(const std::string commit, FindCommit(flags, job, sources.git));
  v1::RunInfo& info = run.info;
  info = job.run;
  info.MergeFrom(flags.info);
  info.set_commit(commit);
  if (info.branch().empty()) info.set_branch(BranchOfHead(sources.git));
  ASSIGN_OR_RETURN(const std::string base, FindBase(flags, job, info, sources.git, run.warnings));
  info.set_base_commit(base);
  AddAncestors(sources.git, info);
  info.set_ci_link(WithoutCredentials(info.ci_link()));
  if (info.machine().empty()) {
    if (const auto cpuinfo = sources.read_file("/proc/cpuinfo"); cpuinfo.ok()) {
      info.set_machine(MachineKind(*cpuinfo));
    }
  }
  if (const auto seconds = sources.git({"show", "--no-patch", "--format=%ct", commit, "--"});
      seconds.ok()) {
    int64_t value = 0;
    if (absl::SimpleAtoi(*seconds, &value) && value > 0) info.set_commit_unix_ms(value * 1000);
  }
  WarnIfDirty(sources.git, commit, run.warnings);
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

}  // namespace

std::string WorkspaceStatus(const v1::RunInfo& run) {
  std::string text;
  const auto add = [&text](absl::string_view name, absl::string_view value) {
    if (value.empty()) return;
    const std::string line = absl::StrReplaceAll(value, {{"\n", " "}, {"\r", " "}});
    absl::StrAppend(&text, "GPROFHUB_", name, " ", line, "\n");
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

}  // namespace gprofhub::ci
