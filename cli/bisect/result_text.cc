#include "cli/bisect/result_text.h"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "base/file.h"
#include "base/hash.h"
#include "base/median.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "cli/client/output.h"
#include "cli/client/query_client.h"
#include "profile/demangle.h"
#include "reporter/findings/findings.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::json;

constexpr size_t kFewestDigits = 4;

}  // namespace

v1::Finding FindingOfJson(const Json& json) {
  v1::Finding finding;
  v1::Finding::Metric metric = v1::Finding::METRIC_UNSPECIFIED;
  v1::Finding::Metric_Parse(absl::AsciiStrToUpper(json.at("metric").get<std::string>()), &metric);
  finding.set_metric(metric);
  finding.set_function(json.at("function").get<std::string>());
  finding.set_target(json.at("target").get<std::string>());
  finding.set_before(json.at("before").get<double>());
  finding.set_after(json.at("after").get<double>());
  if (!json.at("caller").is_null()) finding.set_caller(json.at("caller").get<std::string>());
  return finding;
}

absl::StatusOr<Question> QuestionOf(const v1::Finding& finding) {
  if (finding.metric() != v1::Finding::CALLS) {
    return absl::InvalidArgumentError(
        absl::StrCat("cannot bisect a finding about ",
                     absl::AsciiStrToLower(v1::Finding::Metric_Name(finding.metric())), " of ",
                     finding.function(),
                     ": one run can only measure numbers of calls; choose a finding about calls, "
                     "or pass a function that is called more often with --function"));
  }
  return Question{finding.target(), finding.function(), finding.caller()};
}

absl::StatusOr<Sought> FindQuestion(const v1::Report& report, absl::string_view id) {
  const v1::Finding* found = nullptr;
  for (const v1::Finding& finding : report.findings()) {
    if (id.size() < kFewestDigits || !absl::StartsWith(reporter::FindingId(finding), id)) continue;
    if (found != nullptr && reporter::FindingId(*found) != reporter::FindingId(finding)) {
      return absl::InvalidArgumentError(
          absl::StrCat("several findings have an id that begins with ", id));
    }
    found = &finding;
  }
  if (found == nullptr) {
    return absl::NotFoundError(absl::StrCat(
        "no finding with id ", id, " in the report (findings: ", report.findings_size(), ")"));
  }
  ASSIGN_OR_RETURN(Question question, QuestionOf(*found));
  return Sought{
      std::move(question), report.compared().configuration(), {found->before(), found->after()}};
}

absl::StatusOr<v1::Report> ReadReportJson(absl::string_view text, absl::string_view name) {
  v1::Report report;
  // The library's exceptions stop here.
  try {
    const Json json = Json::parse(text);
    report.mutable_compared()->set_configuration(
        json.at("compared").at("configuration").get<std::string>());
    for (const Json& finding : json.at("findings")) *report.add_findings() = FindingOfJson(finding);
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": not a report of `gprofhub report --format=json`: ", error.what()));
  }
  return report;
}

namespace {

// Separator of the fields of a commit: not contained in git's texts.
constexpr char kFieldEnd = '\x1f';
constexpr char kFormat[] = "--format=%H%x1f%an%x1f%cs%x1f%s";
// Disables hooks: they are made for the users' working trees, not for a temporary one.
constexpr char kNoHooks[] = "core.hooksPath=/dev/null";

absl::StatusOr<Commit> ParseCommit(absl::string_view line) {
  const std::vector<std::string> fields = absl::StrSplit(line, absl::MaxSplits(kFieldEnd, 3));
  if (fields.size() != 4) {
    return absl::InternalError(absl::StrCat("unexpected output of git log: ", line));
  }
  return Commit{fields[0], fields[1], fields[2], fields[3]};
}

absl::StatusOr<std::string> HashOf(const ci::GitCommand& git, const std::string& name) {
  absl::StatusOr<std::string> hash =
      git({"rev-parse", "--verify", "--quiet", "--end-of-options", name + "^{commit}"});
  if (!absl::IsNotFound(hash.status())) return hash;
  return absl::FailedPreconditionError(
      absl::StrCat("unknown commit ", name,
                   "; in a shallow clone, fetch the whole history (git fetch --unshallow)"));
}

}  // namespace

absl::StatusOr<Range> ParseRange(absl::string_view text) {
  const size_t dots = text.find("..");
  if (dots == 0 || dots == absl::string_view::npos || absl::StrContains(text, "...")) {
    return absl::InvalidArgumentError(absl::StrCat(text, ": not a range; use BASE..HEAD"));
  }
  Range range = {std::string(text.substr(0, dots)), std::string(text.substr(dots + 2))};
  if (range.head.empty()) range.head = "HEAD";
  return range;
}

absl::StatusOr<CommitLine> ReadLine(const ci::GitCommand& git, const Range& range) {
  ASSIGN_OR_RETURN(const std::string base, HashOf(git, range.base));
  ASSIGN_OR_RETURN(const std::string head, HashOf(git, range.head));
  const absl::StatusOr<std::string> common = git({"merge-base", base, head});
  if (!common.ok() && !absl::IsNotFound(common.status())) return common.status();
  if (!common.ok()) {
    return absl::FailedPreconditionError(
        absl::StrCat(range.base, " and ", range.head, " have no common ancestor"));
  }
  CommitLine line;
  line.from_merge_base = *common != base;
  ASSIGN_OR_RETURN(const std::string base_log, git({"log", "-1", kFormat, *common}));
  ASSIGN_OR_RETURN(Commit first, ParseCommit(base_log));
  line.commits.push_back(std::move(first));
  ASSIGN_OR_RETURN(const std::string log, git({"log", "--first-parent", "--reverse", kFormat,
                                               absl::StrCat(*common, "..", head)}));
  for (const absl::string_view text : absl::StrSplit(log, '\n', absl::SkipEmpty())) {
    ASSIGN_OR_RETURN(Commit commit, ParseCommit(text));
    line.commits.push_back(std::move(commit));
  }
  if (line.commits.size() < 2) {
    return absl::FailedPreconditionError(
        absl::StrCat("empty range: all commits of ", range.head, " are in ", range.base));
  }
  return line;
}

Worktree::Worktree(ci::GitCommand repository, std::string folder)
    : repository_(std::move(repository)), folder_(std::move(folder)) {}

absl::StatusOr<Worktree> Worktree::Open(ci::GitCommand repository, const std::string& folder) {
  // Leftovers of a killed bisection, known to git or not.
  (void)repository({"worktree", "remove", "--force", folder});
  std::error_code error;
  std::filesystem::remove_all(folder, error);
  (void)repository({"worktree", "prune"});
  RETURN_IF_ERROR(repository({"-c", kNoHooks, "worktree", "add", "--force", "--detach", "--quiet",
                              folder, "HEAD"})
                      .status());
  return Worktree(std::move(repository), folder);
}

Worktree::~Worktree() {
  if (repository_ == nullptr) return;  // moved from
  (void)repository_({"worktree", "remove", "--force", folder_});
}

absl::Status Worktree::CheckOut(const std::string& commit) const {
  const ci::GitCommand git = ci::GitIn(folder_);
  RETURN_IF_ERROR(
      git({"-c", kNoHooks, "checkout", "--quiet", "--force", "--detach", commit}).status());
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::path(folder_) / ".gitmodules", error)) {
    return absl::OkStatus();
  }
  return git({"submodule", "--quiet", "update", "--init", "--recursive", "--force"}).status();
}

namespace {

using OrderedJson = nlohmann::ordered_json;

constexpr uint64_t kMaxStateBytes = 64 << 20;
constexpr size_t kFileDigits = 16;

OrderedJson SettingJson(const Setting& setting) {
  return {{"target", setting.question.target},
          {"function", setting.question.function},
          {"caller", setting.question.caller},
          {"config", setting.configuration},
          {"bazel_options", setting.bazel_options}};
}

absl::Status NoState(absl::string_view name, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat(
      name, ": not a state file of gprofhub bisect: ", why, "; pass --reset to start over"));
}

}  // namespace

std::string StateJson(const State& state) {
  OrderedJson json = {{"schema", 1}, {"setting", SettingJson(state.setting)}};
  json["measured"] = OrderedJson::array();
  for (const auto& [commit, measurement] : state.measured) {
    json["measured"].push_back(
        {{"commit", commit}, {"counts", measurement.counts}, {"skipped", measurement.skipped}});
  }
  return JsonText(json);
}

absl::StatusOr<State> ParseState(absl::string_view text, absl::string_view name) {
  State state;
  // The library's exceptions stop here.
  try {
    const OrderedJson json = OrderedJson::parse(text);
    if (json.at("schema") != 1) return NoState(name, "unsupported version");
    const OrderedJson& setting = json.at("setting");
    state.setting.question = {setting.at("target"), setting.at("function"), setting.at("caller")};
    state.setting.configuration = setting.at("config");
    setting.at("bazel_options").get_to(state.setting.bazel_options);
    for (const OrderedJson& one : json.at("measured")) {
      Measurement measurement;
      one.at("counts").get_to(measurement.counts);
      one.at("skipped").get_to(measurement.skipped);
      if (measurement.counts.empty() == measurement.skipped.empty()) {
        return NoState(name, "a commit must have either counts or a reason for skipping it");
      }
      state.measured[one.at("commit")] = std::move(measurement);
    }
  } catch (const nlohmann::json::exception& error) {
    return NoState(name, error.what());
  }
  return state;
}

std::string StateFileName(const Setting& setting) {
  const std::string text = SettingJson(setting).dump(-1, ' ', /*ensure_ascii=*/true,
                                                     nlohmann::json::error_handler_t::replace);
  return absl::StrCat(base::Sha256Hex(text).substr(0, kFileDigits), ".json");
}

absl::StatusOr<State> ReadState(const std::string& path, const Setting& setting) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return State{setting, {}};
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxStateBytes));
  ASSIGN_OR_RETURN(State state, ParseState(text, path));
  if (state.setting == setting) return state;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ": state of a different search; pass --reset to start over"));
}

absl::Status WriteState(const std::string& path, const State& state) {
  const std::string next = absl::StrCat(path, ".next");
  RETURN_IF_ERROR(WriteFile(next, StateJson(state)));
  std::error_code error;
  std::filesystem::rename(next, path, error);
  if (!error) return absl::OkStatus();
  return absl::FailedPreconditionError(absl::StrCat("cannot write ", path, ": ", error.message()));
}

Measure Remembered(const std::string& path, State& state, const Measure& measure) {
  return [path, &state, &measure](const std::string& commit,
                                  uint32_t runs) -> absl::StatusOr<Measurement> {
    const auto known = state.measured.find(commit);
    if (known != state.measured.end() &&
        (!known->second.skipped.empty() || known->second.counts.size() >= runs)) {
      return known->second;
    }
    ASSIGN_OR_RETURN(Measurement measured, measure(commit, runs));
    state.measured[commit] = measured;
    RETURN_IF_ERROR(WriteState(path, state));
    return measured;
  };
}

namespace {

constexpr uint64_t kMaxReportBytes = 256 << 20;

absl::StatusOr<v1::Report> ReportAtServer(const SoughtOptions& options, const Range& range) {
  QueryClient client(options.server);
  v1::CompareRequest request;
  request.set_head(range.head);
  request.set_base(range.base);
  request.set_all_times(true);
  absl::StatusOr<v1::Report> report = client.Call(&QueryStub::Compare, request);
  if (!absl::IsNotFound(report.status())) return report;
  // The base may have no run of its own. A finding has the same id against any baseline.
  request.clear_base();
  return client.Call(&QueryStub::Compare, request);
}

absl::StatusOr<v1::Report> ReportInFile(const std::string& path) {
  ASSIGN_OR_RETURN(const std::string text, base::ReadFile(path, kMaxReportBytes));
  return ReadReportJson(text, path);
}

}  // namespace

void AddBuildOptions(CLI::App& command, BuildOptions& options) {
  const std::string how = "Build options";
  command
      .add_option("--config", options.configuration,
                  "Bazel's --config (default: from the finding, or else gprof)")
      ->group(how);
  command
      .add_option("--bazel-option", options.bazel_options,
                  "Additional option for `bazel test` (repeatable)")
      ->allow_extra_args(false)
      ->group(how);
  command.add_option("--bazel", options.bazel, "Path of Bazel")->capture_default_str()->group(how);
}

void AddSoughtOptions(CLI::App& command, SoughtOptions& options) {
  const std::string what = "Change to search for";
  command.add_option("--finding", options.finding, "Id of a finding in a report")
      ->type_name("ID")
      ->group(what);
  command
      .add_option("--report", options.report,
                  "Report with the finding, in the format of `gprofhub report --format=json` "
                  "(default: the report on HEAD against BASE, from the server)")
      ->type_name("FILE")
      ->group(what);
  command
      .add_option("--function", options.question.function,
                  "Instead of a finding: linkage name of the called function")
      ->group(what);
  command
      .add_option("--caller", options.question.caller,
                  "Caller of the function (default: calls from all functions)")
      ->group(what);
  command.add_option("--target", options.question.target, "Test to run")
      ->type_name("LABEL")
      ->group(what);
  AddBuildOptions(command, options.build);
  AddServerOptions(command, options.server);
}

void CheckSoughtOptions(const SoughtOptions& options) {
  if (options.finding.empty() == options.question.function.empty()) {
    throw CLI::ValidationError("--finding", "pass --finding, or --function and --target");
  }
  if (!options.finding.empty()) return;
  if (options.question.target.empty()) {
    throw CLI::ValidationError("--function", "needs --target, the test that calls the function");
  }
  if (!options.report.empty()) throw CLI::ValidationError("--report", "needs --finding");
}

absl::StatusOr<Sought> FindSought(const SoughtOptions& options, const std::optional<Range>& range) {
  if (options.finding.empty()) return Sought{options.question, "", {}};
  if (options.report.empty() && !range.has_value()) {
    return absl::InvalidArgumentError("--finding needs --report");
  }
  ASSIGN_OR_RETURN(const v1::Report report, options.report.empty() ? ReportAtServer(options, *range)
                                                                   : ReportInFile(options.report));
  ASSIGN_OR_RETURN(Sought sought, FindQuestion(report, options.finding));
  // The finding's test may be slow; another test may show the same change.
  if (!options.question.target.empty()) sought.question.target = options.question.target;
  return sought;
}

Setting SettingOf(const BuildOptions& options, const Sought& sought) {
  const reporter::BazelMode mode = reporter::ModeOf(sought.configuration);
  Setting setting = {sought.question, options.configuration, {}};
  if (setting.configuration.empty()) setting.configuration = mode.configuration;
  if (!mode.compilation_mode.empty()) setting.bazel_options.push_back(mode.compilation_mode);
  setting.bazel_options.insert(setting.bazel_options.end(), options.bazel_options.begin(),
                               options.bazel_options.end());
  return setting;
}

namespace {

constexpr size_t kShortHash = 12;

std::string Short(const Commit& commit) { return commit.hash.substr(0, kShortHash); }

std::string WordsOf(const Question& question) {
  std::string words = base::Printable(profile::Demangle(question.function));
  if (!question.caller.empty()) {
    absl::StrAppend(&words, " from ", base::Printable(profile::Demangle(question.caller)));
  }
  return absl::StrCat(words, " in ", base::Printable(question.target));
}

const char* LevelName(Tested tested) {
  switch (tested) {
    case Tested::kOld:
      return "old";
    case Tested::kNew:
      return "new";
    case Tested::kSkipped:
      return "skipped";
    case Tested::kNot:
      return "untested";
  }
  return "";
}

std::string CountWords(const Measurement& measurement) {
  return absl::StrJoin(measurement.counts, " ", [](std::string* out, double count) {
    absl::StrAppend(out, CountText(count));
  });
}

std::string AboutCommit(const Commit& commit) {
  return absl::StrCat(Short(commit), "  ", commit.date, "  ", base::Printable(commit.author),
                      "\n  ", base::Printable(commit.subject), "\n");
}

// The commits that may have made the change.
std::vector<Commit> Suspects(const BisectReport& report) {
  const auto begin = report.line.commits.begin();
  return {begin + static_cast<ptrdiff_t>(report.result.range.last_old) + 1,
          begin + static_cast<ptrdiff_t>(report.result.range.first_new) + 1};
}

const Measurement* MeasurementAt(const BisectReport& report, size_t index) {
  for (const TestedCommit& one : report.result.tested) {
    if (one.index == index) return &one.measurement;
  }
  return nullptr;
}

// Of a change in several steps, the bisection finds one of the steps.
std::string StepsNote(const BisectReport& report) {
  const Measurement* const before = MeasurementAt(report, report.result.range.last_old);
  const Measurement* const after = MeasurementAt(report, report.result.range.first_new);
  if (!IsFound(report) || report.result.varies || before == nullptr || after == nullptr) return "";
  const double was = base::Median(before->counts);
  const double is = base::Median(after->counts);
  if (was == report.result.levels.before && is == report.result.levels.after) return "";
  return absl::StrCat("This commit changes the count from ", CountText(was), " to ", CountText(is),
                      "; other commits of the range also change it.\n");
}

std::string Answer(const BisectReport& report) {
  const std::vector<Commit> suspects = Suspects(report);
  if (IsFound(report)) {
    return absl::StrCat("The first commit with the new count:\n", AboutCommit(suspects.front()),
                        StepsNote(report));
  }
  std::string out =
      report.result.finished
          ? absl::StrCat("The new count begins at one of these ", suspects.size(),
                         " commits; the commits between the first and the last cannot be tested:\n")
          : absl::StrCat(
                "Not finished: ", suspects.size(),
                " candidate commits remain; repeat the command to continue. The candidates:\n");
  absl::StrAppend(&out, AboutCommit(suspects.front()));
  if (suspects.size() > 2) absl::StrAppend(&out, "  …\n");
  absl::StrAppend(&out, AboutCommit(suspects.back()));
  return out;
}

OrderedJson CommitJson(const Commit& commit) {
  return {{"commit", commit.hash},
          {"author", commit.author},
          {"date", commit.date},
          {"subject", commit.subject}};
}

}  // namespace

bool IsFound(const BisectReport& report) {
  return report.result.finished && report.result.range.IsOne();
}

std::string BisectText(const BisectReport& report) {
  const Bisection& result = report.result;
  std::string out =
      absl::StrCat("Calls of ", WordsOf(report.question), ": ", CountText(result.levels.before),
                   " before, ", CountText(result.levels.after), " after",
                   result.varies ? " (medians; the count varies)" : "", "\n");
  if (report.line.from_merge_base) {
    absl::StrAppend(&out, "The base is not an ancestor of the head; their merge base, ",
                    Short(report.line.commits.front()), ", is used instead.\n");
  }
  absl::StrAppend(&out, "\n", Answer(report), "\n");
  Table table(
      {Table::Align::kLeft, Table::Align::kLeft, Table::Align::kRight, Table::Align::kLeft});
  table.AddRow({"COMMIT", "COUNT IS", "COUNT", "SUBJECT"});
  for (const TestedCommit& one : result.tested) {
    const Commit& commit = report.line.commits[one.index];
    table.AddRow(
        {Short(commit), LevelName(one.tested), CountWords(one.measurement), commit.subject});
  }
  absl::StrAppend(&out, table.Text());
  for (const TestedCommit& one : result.tested) {
    if (one.measurement.skipped.empty()) continue;
    absl::StrAppend(&out, "skipped ", Short(report.line.commits[one.index]), ": ",
                    base::Printable(one.measurement.skipped), "\n");
  }
  return out;
}

OrderedJson BisectJson(const BisectReport& report) {
  const Bisection& result = report.result;
  OrderedJson json = {{"target", report.question.target}, {"function", report.question.function}};
  json["caller"] =
      report.question.caller.empty() ? OrderedJson(nullptr) : OrderedJson(report.question.caller);
  json["before"] = result.levels.before;
  json["after"] = result.levels.after;
  json["varies"] = result.varies;
  json["finished"] = result.finished;
  const std::vector<Commit> suspects = Suspects(report);
  json["first"] = IsFound(report) ? CommitJson(suspects.front()) : OrderedJson(nullptr);
  json["suspects"] = OrderedJson::array();
  for (const Commit& commit : suspects) json["suspects"].push_back(CommitJson(commit));
  json["tested"] = OrderedJson::array();
  for (const TestedCommit& one : result.tested) {
    OrderedJson tested = CommitJson(report.line.commits[one.index]);
    tested["level"] = LevelName(one.tested);
    tested["counts"] = one.measurement.counts;
    tested["skipped"] = one.measurement.skipped.empty() ? OrderedJson(nullptr)
                                                        : OrderedJson(one.measurement.skipped);
    json["tested"].push_back(std::move(tested));
  }
  return json;
}

}  // namespace gprofhub::cli
