#include "cli/serve/http/pages.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "base/percent_coding.h"
#include "base/public_message.h"
#include "cli/serve/http/assets.h"
#include "cli/serve/texts/analyzed_text.h"
#include "cli/serve/texts/served_ordering.h"
#include "page/flame/stack_tree.h"
#include "page/graph/call_graph.h"
#include "page/views/addresses.h"
#include "page/views/comparison.h"
#include "page/views/profile.h"
#include "page/views/runs.h"
#include "page/views/service.h"
#include "page/views/shell.h"
#include "reporter/findings/find_finding.h"
#include "reporter/queries/changes.h"
#include "reporter/queries/compare_runs.h"
#include "reporter/queries/explain.h"
#include "reporter/queries/follow_ups.h"
#include "reporter/queries/gate.h"
#include "reporter/queries/runs.h"
#include "reporter/queries/trend.h"
#include "reporter/rendering/function_rows.h"

namespace gprofhub::cli {
namespace {

using collector::Scope;
using page::Context;
using page::Frame;
using page::Html;

constexpr uint32_t kListedProjects = 1000;
constexpr uint32_t kLatestRuns = 30;
constexpr uint32_t kListedRuns = 200;
constexpr uint32_t kTrendRuns = 200;
constexpr uint32_t kMostTrendRuns = 10000;
constexpr uint32_t kHistoryRuns = 50;
// Cards beyond these have their history on the finding's own page.
constexpr size_t kCardsWithHistory = 5;
constexpr size_t kTargetsToSearch = 50;
constexpr size_t kNamesToChoose = 50;
constexpr size_t kStackRows = 200;
constexpr uint32_t kDrawnNodes = 50;
constexpr uint32_t kMostDrawnNodes = 200;

absl::string_view TitleOf(const absl::Status& status) {
  switch (CodeOf(status)) {
    case 400:
      return "That cannot be shown";
    case 401:
      return "Log in first";
    case 403:
      return "That is not open to you";
    case 404:
      return "There is no such page";
    case 409:
      return "Not yet";
    case 429:
    case 503:
      return "Try again in a moment";
    default:
      return "Something went wrong here";
  }
}

// One request's way to its page.
class Answering {
 public:
  Answering(const PageSources& sources, Visits& visits, const PageRequest& request,
            const Visitor& visitor)
      : sources_(sources), visits_(visits), request_(request), visitor_(visitor) {
    context_.assets = std::string(AssetsVersion());
    context_.csrf = visits.SignOf(visitor);
    context_.user = visitor.name();
    context_.is_logged_in = visitor.is_logged_in;
    context_.can_log_in = !visitor.caller.has_value();
  }

  absl::StatusOr<PageAnswer> Answer() {
    if (request_.is_post) return Act();
    if (request_.path.empty()) return Projects();
    if (request_.Is({"login"})) return LoginForm("", request_.Query("next"));
    if (request_.Is({"licences"})) return Licences();
    if (request_.path.front() != "p" || request_.path.size() < 2) return NoPage();
    if (absl::Status status = Enter(request_.path[1], Scope::kRead); !status.ok()) return status;
    if (request_.Is({"p", "*"})) return Project();
    if (request_.Is({"p", "*", "runs"})) return Runs();
    if (request_.Is({"p", "*", "changes"})) return Changes();
    if (request_.Is({"p", "*", "gate"})) return Gate();
    if (request_.Is({"p", "*", "function"})) return Function();
    if (request_.Is({"p", "*", "runs", "*"})) return Run();
    if (request_.Is({"p", "*", "compare", "*"})) return Compare();
    if (request_.Is({"p", "*", "compare", "*", "*"})) return Finding();
    if (request_.Is({"p", "*", "runs", "*", "*"})) return TargetPage();
    return NoPage();
  }

 private:
  absl::Status NoPage() const { return absl::NotFoundError("The address leads to no page."); }
  const PageStore& store() const { return sources_.store; }

  // The project that the page is of.
  absl::Status Enter(const std::string& project, Scope scope) {
    if (absl::Status status = visits_.Permit(visitor_, project, scope); !status.ok()) {
      return status;
    }
    context_.project = project;
    const auto links = sources_.links.find(project);
    if (links != sources_.links.end()) context_.links = links->second;
    context_.may_acknowledge =
        visitor_.caller.has_value() && visits_.Permit(visitor_, project, Scope::kAcknowledge).ok();
    return absl::OkStatus();
  }

  PageAnswer Show(const Frame& frame, const Html& content) const {
    PageAnswer answer;
    answer.body = page::WholePage(context_, frame, content);
    return answer;
  }

  PageAnswer Go(const page::Url& url) const {
    PageAnswer answer;
    answer.code = 303;
    answer.headers.emplace_back("Location", url.text());
    return answer;
  }

  absl::StatusOr<PageAnswer> Projects() {
    const absl::StatusOr<std::vector<std::string>> all =
        store().reading.ListProjects(kListedProjects);
    if (!all.ok()) return all.status();
    const std::vector<std::string> readable = visits_.Readable(visitor_, *all);
    if (readable.empty() && !visitor_.caller.has_value()) return LoginForm("", "/");
    std::vector<page::ProjectSummary> projects;
    for (const std::string& project : readable) {
      v1::ListRunsRequest request;
      request.set_project(project);
      request.set_limit(1);
      const absl::StatusOr<v1::ListRunsResponse> runs =
          reporter::ListRuns(store().reading, request);
      if (!runs.ok()) return runs.status();
      projects.push_back({project, {runs->runs().begin(), runs->runs().end()}});
    }
    return Show({"Projects"}, page::ProjectsView(projects));
  }

  absl::StatusOr<v1::GetChangesResponse> ReadChanges(const std::string& branch) const {
    v1::GetChangesRequest request;
    request.set_project(context_.project);
    request.set_branch(branch);
    absl::StatusOr<v1::GetChangesResponse> changes =
        reporter::GetChanges(store().reading, store().blobs, request);
    if (!changes.ok()) return changes;
    absl::Status status =
        reporter::AddCulprits(store().reading, store().gate, context_.project, *changes);
    if (!status.ok()) return status;
    return changes;
  }

  // That of the newest run without a pull request; "main" where there is none.
  std::string MainBranch() const {
    store::RunFilter filter;
    filter.project = context_.project;
    filter.mainline_only = true;
    filter.limit = 1;
    const absl::StatusOr<std::vector<store::RunRecord>> runs = store().reading.ListRuns(filter);
    return runs.ok() && !runs->empty() ? runs->front().branch : "main";
  }

  absl::StatusOr<PageAnswer> Project() {
    v1::ListRunsRequest request;
    request.set_project(context_.project);
    request.set_limit(kLatestRuns);
    const absl::StatusOr<v1::ListRunsResponse> runs = reporter::ListRuns(store().reading, request);
    if (!runs.ok()) return runs.status();
    const absl::StatusOr<v1::GetChangesResponse> changes = ReadChanges(MainBranch());
    return Show({context_.project, "project"},
                page::ProjectView(context_, {runs->runs().begin(), runs->runs().end()},
                                  changes.ok() ? *changes : v1::GetChangesResponse(),
                                  changes.ok() ? "" : base::PublicMessageOf(changes.status())));
  }

  absl::StatusOr<PageAnswer> Runs() {
    v1::ListRunsRequest request;
    request.set_project(context_.project);
    request.set_branch(request_.Query("branch"));
    request.set_pull_request(request_.Query("pull_request"));
    request.set_commit(request_.Query("commit"));
    request.set_limit(kListedRuns);
    const absl::StatusOr<v1::ListRunsResponse> runs = reporter::ListRuns(store().reading, request);
    if (!runs.ok()) return runs.status();
    return Show({"Runs", "runs"},
                page::RunsView(context_, {runs->runs().begin(), runs->runs().end()},
                               {request.branch(), request.pull_request(), request.commit()}));
  }

  absl::StatusOr<PageAnswer> Changes() {
    const std::string branch =
        request_.Query("branch").empty() ? MainBranch() : request_.Query("branch");
    const absl::StatusOr<v1::GetChangesResponse> changes = ReadChanges(branch);
    if (!changes.ok()) return changes.status();
    return Show({"Changes", "changes"}, page::ChangesView(context_, *changes));
  }

  absl::StatusOr<PageAnswer> Gate() {
    v1::GetGateStatsRequest stats_request;
    stats_request.set_project(context_.project);
    const absl::StatusOr<v1::GetGateStatsResponse> stats =
        reporter::GetGateStats(store().reading, store().gate, stats_request);
    if (!stats.ok()) return stats.status();
    v1::ListAcknowledgementsRequest said_request;
    said_request.set_project(context_.project);
    const absl::StatusOr<v1::ListAcknowledgementsResponse> said =
        reporter::ListAcknowledgements(store().gate, said_request);
    if (!said.ok()) return said.status();
    return Show({"Gate", "gate"}, page::GateView(context_, *stats, *said));
  }

  absl::StatusOr<v1::Run> ReadRun(const std::string& run) const {
    v1::GetRunRequest request;
    request.set_project(context_.project);
    request.set_run(run);
    return reporter::GetRun(store().reading, request);
  }

  absl::StatusOr<PageAnswer> Run() {
    const absl::StatusOr<v1::Run> run = ReadRun(request_.path[3]);
    if (!run.ok()) return run.status();
    return Show({page::RunTitle(*run), "runs"}, page::RunView(context_, *run));
  }

  absl::StatusOr<v1::GetTrendResponse> ReadTrend(const std::string& function,
                                                 const std::string& target,
                                                 const std::string& branch, uint32_t limit) const {
    v1::GetTrendRequest request;
    request.set_project(context_.project);
    request.set_function(function);
    request.set_target(target);
    request.set_branch(branch);
    request.set_limit(limit);
    return reporter::GetTrend(store().reading, store().blobs, request);
  }

  // The report and what belongs to it, but for histories.
  absl::StatusOr<page::Comparison> ReadComparison() const {
    page::Comparison comparison;
    comparison.run = request_.path[3];
    comparison.base = request_.Query("base");
    v1::CompareRequest request;
    request.set_project(context_.project);
    request.set_head(comparison.run);
    request.set_base(comparison.base);
    absl::StatusOr<v1::Report> report =
        reporter::CompareRuns(store().reading, store().blobs, request);
    if (!report.ok()) return report.status();
    comparison.report = *std::move(report);
    v1::ListAcknowledgementsRequest said_request;
    said_request.set_project(context_.project);
    const absl::StatusOr<v1::ListAcknowledgementsResponse> said =
        reporter::ListAcknowledgements(store().gate, said_request);
    if (!said.ok()) return said.status();
    for (const v1::Acknowledgement& one : said->acknowledgements()) {
      comparison.acknowledgements.push_back(reporter::ToRecord(one));
    }
    return comparison;
  }

  // What is not known stays unknown: a page without a picture is still a page.
  void AddTrend(const v1::Finding& finding, page::Comparison& comparison) const {
    absl::StatusOr<v1::GetTrendResponse> trend =
        ReadTrend(finding.function(), finding.target(), "", kHistoryRuns);
    if (trend.ok()) {
      comparison.trends[{finding.function(), finding.target()}] = *std::move(trend);
    }
  }

  Frame ComparisonFrame(const page::Comparison& comparison, const std::string& title) const {
    Frame frame = {title, "runs"};
    const std::string& head = comparison.report.compared().head().run_id();
    frame.way.emplace_back(absl::StrCat("Run ", head), page::RunUrl(context_.project, head));
    return frame;
  }

  absl::StatusOr<PageAnswer> Compare() {
    absl::StatusOr<page::Comparison> comparison = ReadComparison();
    if (!comparison.ok()) return comparison.status();
    size_t with_history = 0;
    for (const reporter::FunctionRow& row : reporter::GroupByFunction(comparison->report)) {
      if (with_history == kCardsWithHistory || row.kind != reporter::FindingKind::kCause) break;
      AddTrend(reporter::MainFinding(row), *comparison);
      ++with_history;
    }
    return Show(ComparisonFrame(*comparison, "What changed"),
                page::ComparisonView(context_, *comparison));
  }

  // The function in the run of one side; nothing where that is not known.
  std::optional<page::SideEntry> ReadSide(const std::string& run,
                                          const v1::Finding& finding) const {
    if (run.empty()) return std::nullopt;
    const absl::StatusOr<TargetOfRun> target =
        FindTargetOfRun(store(), context_.project, run, finding.target());
    if (!target.ok()) return std::nullopt;
    const absl::StatusOr<profile::ComputedProfile> profile = ReadComputed(store(), *target);
    if (!profile.ok()) return std::nullopt;
    return page::SideEntryOf(*profile, finding.function());
  }

  absl::StatusOr<PageAnswer> Finding() {
    absl::StatusOr<page::Comparison> comparison = ReadComparison();
    if (!comparison.ok()) return comparison.status();
    absl::StatusOr<v1::Finding> finding =
        reporter::FindFinding(comparison->report, request_.path[4]);
    if (!finding.ok()) return finding.status();
    page::FindingEvidence evidence;
    evidence.finding = *std::move(finding);
    v1::ExplainRequest request;
    request.set_project(context_.project);
    request.set_finding(request_.path[4]);
    request.set_head(comparison->run);
    request.set_base(comparison->base);
    absl::StatusOr<v1::Explanation> explanation =
        reporter::ExplainFinding(store().reading, store().blobs, request);
    if (explanation.ok()) evidence.explanation = *std::move(explanation);
    const v1::Compared& compared = comparison->report.compared();
    evidence.before = ReadSide(compared.base().run_id(), evidence.finding);
    evidence.after = ReadSide(compared.head().run_id(), evidence.finding);
    const absl::StatusOr<v1::Run> head = ReadRun(compared.head().run_id());
    if (head.ok()) evidence.pull_request = head->info().pull_request();
    AddTrend(evidence.finding, *comparison);
    Frame frame = ComparisonFrame(*comparison, "Finding");
    frame.way.emplace_back("What changed",
                           page::CompareUrl(context_.project, comparison->run, comparison->base));
    return Show(frame, page::FindingView(context_, *comparison, evidence));
  }

  // The newest run, and its targets that can be read.
  absl::StatusOr<std::vector<TargetOfRun>> NewestTargets(const std::string& target) const {
    const absl::StatusOr<v1::Run> run = ReadRun("latest");
    if (!run.ok()) return run.status();
    std::vector<TargetOfRun> targets;
    for (const v1::Target& one : run->targets()) {
      if (one.state() != v1::Target::ANALYZED || (!target.empty() && one.label() != target)) {
        continue;
      }
      absl::StatusOr<TargetOfRun> found =
          FindTargetOfRun(store(), context_.project, run->run_id(), one.label());
      if (found.ok()) targets.push_back(*std::move(found));
      if (targets.size() == kTargetsToSearch) break;
    }
    return targets;
  }

  absl::StatusOr<PageAnswer> Function() {
    const absl::StatusOr<uint32_t> limit = request_.Number("limit", kMostTrendRuns);
    if (!limit.ok()) return limit.status();
    const std::string& name = request_.Query("name");
    page::FunctionPage function;
    function.target = request_.Query("target");
    function.branch = request_.Query("branch");
    const absl::StatusOr<std::vector<TargetOfRun>> targets = NewestTargets(function.target);
    if (!targets.ok()) return targets.status();
    absl::StatusOr<v1::GetTrendResponse> trend =
        name.empty()
            ? absl::InvalidArgumentError("Which function? Type a part of its name.")
            : ReadTrend(name, function.target, function.branch, *limit == 0 ? kTrendRuns : *limit);
    if (!trend.ok()) return ChooseFunction(name, *targets, trend.status());
    function.trend = *std::move(trend);
    for (const TargetOfRun& target : *targets) {
      const absl::StatusOr<profile::ComputedProfile> profile = ReadComputed(store(), target);
      if (!profile.ok()) continue;
      const std::optional<uint32_t> row = page::FindFunction(*profile, function.trend.function());
      if (!row.has_value()) continue;
      function.newest_run = absl::StrCat(target.run.id);
      function.reached.push_back({target.target.label, page::CostOf(*profile, *row)});
    }
    return Show({function.trend.function_display(), "", {}, "chart"},
                page::FunctionView(context_, function));
  }

  absl::StatusOr<PageAnswer> ChooseFunction(const std::string& name,
                                            const std::vector<TargetOfRun>& targets,
                                            const absl::Status& why) const {
    if (!absl::IsInvalidArgument(why) && !absl::IsNotFound(why)) return why;
    std::vector<std::pair<std::string, std::string>> names;
    std::set<std::string> seen;
    for (const TargetOfRun& target : targets) {
      const absl::StatusOr<profile::ComputedProfile> profile = ReadComputed(store(), target);
      if (!profile.ok()) continue;
      for (const uint32_t row : page::HottestFunctions(*profile, name, kNamesToChoose)) {
        const std::string linkage(page::NameOf(*profile, row));
        if (names.size() < kNamesToChoose && seen.insert(linkage).second) {
          names.emplace_back(linkage, page::DisplayNameOf(*profile, row));
        }
      }
    }
    PageAnswer answer = Show(
        {"Functions"}, page::FunctionChoiceView(context_, name, names,
                                                names.empty() ? base::PublicMessageOf(why)
                                                              : "The hottest of the newest run."));
    if (names.empty() && !name.empty()) answer.code = 404;
    return answer;
  }

  absl::StatusOr<PageAnswer> TargetPage() {
    const std::string& kind = request_.path[4];
    const absl::StatusOr<TargetOfRun> target =
        FindTargetOfRun(store(), context_.project, request_.path[3], request_.Query("target"));
    if (!target.ok()) return target.status();
    place_ = {absl::StrCat(target->run.id), target->run.commit, target->target.label};
    if (kind == "graph") return CallGraph(*target);
    if (kind == "drawn") return DrawnGraph(*target);
    if (kind == "flame") return Flame(*target);
    if (kind == "listing") return Listing(*target);
    if (kind == "ordering") return Ordering();
    if (kind == "download") return Download(*target);
    if (kind == "speedscope") return Speedscope();
    return NoPage();
  }

  Frame TargetFrame(const std::string& title, const std::string& script = "") const {
    Frame frame = {title, "runs"};
    frame.way.emplace_back(absl::StrCat("Run ", place_.run),
                           page::RunUrl(context_.project, place_.run));
    frame.script = script;
    return frame;
  }

  absl::StatusOr<PageAnswer> CallGraph(const TargetOfRun& target) {
    const absl::StatusOr<profile::ComputedProfile> profile = ReadComputed(store(), target);
    if (!profile.ok()) return profile.status();
    page::GraphQuery query;
    query.part = request_.Query("q");
    if (const std::string& name = request_.Query("function"); !name.empty()) {
      query.function = page::FindFunction(*profile, name);
      if (!query.function.has_value()) query.part = name;
    }
    return Show(TargetFrame("Call graph"), page::CallGraphView(context_, place_, *profile, query));
  }

  absl::StatusOr<PageAnswer> DrawnGraph(const TargetOfRun& target) {
    const absl::StatusOr<uint32_t> asked = request_.Number("nodes", kMostDrawnNodes);
    if (!asked.ok()) return asked.status();
    const uint32_t nodes = *asked == 0 ? kDrawnNodes : *asked;
    const absl::StatusOr<profile::ComputedProfile> profile = ReadComputed(store(), target);
    if (!profile.ok()) return profile.status();
    PageAnswer answer =
        Show(TargetFrame("Drawn call graph", "graph"),
             page::DrawnGraphView(context_, place_, page::HottestGraph(*profile, nodes), nodes));
    answer.needs = PageAnswer::Needs::kWasm;
    return answer;
  }

  absl::StatusOr<PageAnswer> Flame(const TargetOfRun& target) {
    page::FlamePage flame;
    const absl::StatusOr<FoldedStacks> after = ReadStacks(store(), target);
    if (!after.ok()) return after.status();
    FoldedStacks before;
    if (const std::string& base = request_.Query("base"); !base.empty()) {
      const absl::StatusOr<TargetOfRun> base_target =
          FindTargetOfRun(store(), context_.project, base, target.target.label);
      if (!base_target.ok()) return base_target.status();
      absl::StatusOr<FoldedStacks> stacks = ReadStacks(store(), *base_target);
      if (!stacks.ok()) return stacks.status();
      before = *std::move(stacks);
      flame.base = absl::StrCat(base_target->run.id);
    }
    const absl::StatusOr<page::StackNode> tree =
        page::StackTree(before.text, after->text,
                        static_cast<double>(after->repetitions) / before.repetitions, 0.0005);
    if (!tree.ok()) return tree.status();
    flame.is_measured = after->is_measured;
    flame.unit = 1e6 * after->repetitions;
    flame.costs = page::CostsOf(*tree, kStackRows);
    return Show(TargetFrame("Flame graph", "flame"), page::FlameView(context_, place_, flame));
  }

  absl::StatusOr<PageAnswer> Listing(const TargetOfRun& target) {
    const std::string kind = request_.Query("kind").empty() ? "flat" : request_.Query("kind");
    v1::GetListingRequest request;
    request.set_project(context_.project);
    request.set_run(place_.run);
    request.set_target(place_.target);
    request.set_kind(kind == "graph" ? v1::GetListingRequest::CALL_GRAPH
                                     : v1::GetListingRequest::FLAT);
    if (kind != "flat" && kind != "graph" && kind != "lines") {
      return absl::InvalidArgumentError("kind: must be flat, graph or lines");
    }
    const absl::StatusOr<std::string> text =
        kind == "lines" ? LinesText(store(), target)
                        : ListingText(store().reading, store().blobs, request);
    if (!text.ok()) return text.status();
    return Show(TargetFrame("Listing"), page::ListingView(context_, place_, kind,
                                                          {{"flat", "Flat profile"},
                                                           {"graph", "Call graph"},
                                                           {"lines", "Line by line (-l)"}},
                                                          *text));
  }

  absl::StatusOr<PageAnswer> Ordering() {
    v1::GetOrderingRequest request;
    request.set_project(context_.project);
    request.set_run(place_.run);
    request.set_target(place_.target);
    const absl::StatusOr<std::string> text = OrderingText(store().reading, store().blobs, request);
    if (!text.ok()) return text.status();
    return Show(TargetFrame("Ordering"), page::OrderingView(context_, place_, *text));
  }

  absl::StatusOr<PageAnswer> Download(const TargetOfRun& target) {
    if (const std::string& format = request_.Query("format"); !format.empty()) {
      absl::StatusOr<ImageFile> file =
          MakeImageFile(store(), target, format, request_.Query("image"));
      if (!file.ok()) return file.status();
      PageAnswer answer;
      answer.type = file->type;
      answer.body = std::move(file->contents);
      answer.headers.emplace_back("Content-Disposition",
                                  absl::StrCat("attachment; filename=\"", file->name, "\""));
      return answer;
    }
    static constexpr std::pair<absl::string_view, absl::string_view> kWords[] = {
        {"gmon", "gprof and gprofhub gprof: all executions in one file"},
        {"pprof", "pprof"},
        {"callgrind", "KCachegrind and callgrind_annotate"},
        {"folded", "flame graph programs"},
        {"json", "your own programs (docs/gprof-json.md)"},
        {"speedscope", "speedscope"}};
    std::vector<page::Download> downloads;
    for (const auto& [format, words] : kWords) {
      const absl::StatusOr<std::vector<ImageFile>> files = ListImages(store(), target, format);
      if (!files.ok()) return files.status();
      for (const ImageFile& file : *files) {
        downloads.push_back({std::string(format), std::string(words), file.name,
                             files->size() > 1 ? file.image : ""});
      }
    }
    return Show(TargetFrame("Files"), page::DownloadView(context_, place_, downloads));
  }

  // speedscope's own page, which reads the profile that its address names.
  absl::StatusOr<PageAnswer> Speedscope() {
    const page::Url profile =
        page::TargetUrl(context_.project, place_.run, "download", place_.target)
            .With("format", "speedscope");
    PageAnswer answer = Go(page::Url::Path({"assets", AssetsVersion(), "speedscope.html"}));
    answer.headers.back().second +=
        absl::StrCat("#profileURL=", base::PercentEncoded(profile.text()));
    return answer;
  }

  absl::StatusOr<PageAnswer> Licences() {
    std::vector<page::Licence> licences;
    for (const AssetLicence& one : AssetLicences()) {
      licences.push_back({std::string(one.name), std::string(one.version), std::string(one.licence),
                          std::string(one.text)});
    }
    return Show({"Licences"}, page::LicencesView(licences));
  }

  PageAnswer LoginForm(const std::string& refusal, const std::string& next) const {
    PageAnswer answer = Show({"Log in"}, page::LoginView(context_, refusal, next));
    if (!refusal.empty()) answer.code = 401;
    return answer;
  }

  // What changes something. Each form has its sign.
  absl::StatusOr<PageAnswer> Act() {
    if (absl::Status status = visits_.CheckForm(visitor_, request_); !status.ok()) return status;
    if (request_.Is({"login"})) return LogIn();
    if (request_.Is({"logout"})) {
      visits_.LogOut(visitor_);
      PageAnswer answer = Go(page::HomeUrl());
      answer.headers.emplace_back("Set-Cookie", visits_.CookieOf(""));
      return answer;
    }
    if (!request_.Is({"p", "*", "acknowledge"}) && !request_.Is({"p", "*", "take-back"})) {
      return NoPage();
    }
    absl::Status status = Enter(request_.path[1], Scope::kAcknowledge);
    if (!status.ok()) return status;
    if (!visitor_.caller.has_value()) return absl::UnauthenticatedError("log in to do this");
    return request_.path[2] == "acknowledge" ? Acknowledge() : TakeBack();
  }

  absl::StatusOr<PageAnswer> LogIn() {
    const absl::StatusOr<std::string> session = visits_.LogIn(request_, request_.Form("token"));
    if (absl::IsUnauthenticated(session.status())) {
      return LoginForm("That token is not good: it is mistyped, revoked or expired.",
                       request_.Form("next"));
    }
    if (!session.ok()) return session.status();
    PageAnswer answer = Go(page::HomeUrl());
    // Only to a page of ours.
    const std::string& next = request_.Form("next");
    const bool is_ours = absl::StartsWith(next, "/p/") &&
                         std::all_of(next.begin(), next.end(),
                                     [](char c) { return c > ' ' && c < 0x7F && c != '\\'; });
    if (is_ours) answer.headers.back().second = next;
    answer.headers.emplace_back("Set-Cookie", visits_.CookieOf(*session));
    return answer;
  }

  absl::StatusOr<PageAnswer> Acknowledge() {
    v1::AcknowledgeRequest asked;
    asked.set_project(context_.project);
    v1::Acknowledgement& said = *asked.mutable_acknowledgement();
    said.set_function(request_.Form("function"));
    said.set_target(request_.Form("target"));
    said.set_pull_request(request_.Form("pull_request"));
    said.set_reason(request_.Form("reason"));
    said.set_not_a_regression(request_.Form("kind") == "false-alarm");
    const absl::StatusOr<v1::Acknowledgement> kept =
        reporter::Acknowledge(store().gate, asked, visitor_.caller->actor, absl::Now());
    if (!kept.ok()) return kept.status();
    return Go(page::FindingUrl(context_.project, request_.Form("run"), request_.Form("base"),
                               request_.Form("finding")));
  }

  absl::StatusOr<PageAnswer> TakeBack() {
    v1::TakeBackAcknowledgementRequest asked;
    asked.set_project(context_.project);
    int64_t id = 0;
    if (!absl::SimpleAtoi(request_.Form("id"), &id)) {
      return absl::InvalidArgumentError("id: must be a number");
    }
    asked.set_id(id);
    const bool anybodys = visitor_.caller->scopes.Has(Scope::kAdmin);
    const absl::StatusOr<v1::Acknowledgement> taken = reporter::TakeBackAcknowledgement(
        store().gate, asked, visitor_.caller->actor, anybodys, absl::Now());
    if (!taken.ok()) return taken.status();
    return Go(page::GateUrl(context_.project));
  }

  const PageSources& sources_;
  Visits& visits_;
  const PageRequest& request_;
  const Visitor& visitor_;
  Context context_;
  page::TargetPlace place_;
};

}  // namespace

PageAnswer ErrorPage(const absl::Status& status) {
  Context context;
  context.assets = std::string(AssetsVersion());
  context.can_log_in = absl::IsUnauthenticated(status);
  PageAnswer answer;
  answer.code = CodeOf(status);
  const std::string title(TitleOf(status));
  // Of what is our own fault the log has the words.
  const std::string words =
      answer.code == 500 ? "The server's log says more." : base::PublicMessageOf(status);
  answer.body = page::WholePage(context, {title}, page::MessageView(title, words));
  return answer;
}

PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request) {
  const absl::StatusOr<Visitor> visitor = visits.Identify(request);
  if (!visitor.ok()) return ErrorPage(visitor.status());
  absl::StatusOr<PageAnswer> answer = Answering(sources, visits, request, *visitor).Answer();
  if (absl::IsUnauthenticated(answer.status()) && !request.is_post) {
    PageAnswer go;
    go.code = 303;
    go.headers.emplace_back("Location", page::LoginUrl().With("next", request.target).text());
    answer = std::move(go);
  }
  PageAnswer out = answer.ok() ? *std::move(answer) : ErrorPage(answer.status());
  const bool has_cookie = std::any_of(out.headers.begin(), out.headers.end(),
                                      [](const auto& one) { return one.first == "Set-Cookie"; });
  if (visitor->is_new_session && !has_cookie) {
    out.headers.emplace_back("Set-Cookie", visits.CookieOf(visitor->session));
  }
  return out;
}

}  // namespace gprofhub::cli
