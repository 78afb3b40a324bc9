// Each tool asks the query service one question and shortens the answer. An answer has the same
// rows twice: as Markdown, and as structured content. Rows are added while both fit in
// kMostAnswerBytes; what is left out is counted, and the text names the arguments that continue.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "base/text.h"
#include "mcp/session.h"
#include "profile/codec/computed.h"
#include "profile/demangle.h"
#include "proto/query.pb.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/markdown.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::mcp {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;

OrderedJson TextArgument(const char* about) { return {{"type", "string"}, {"description", about}}; }

OrderedJson NumberArgument(const char* about) {
  return {{"type", "integer"}, {"minimum", 0}, {"description", about}};
}

std::string Text(const Json& arguments, const char* name, const char* otherwise = "") {
  return arguments.value(name, otherwise);
}

uint64_t Number(const Json& arguments, const char* name, uint64_t otherwise) {
  return arguments.value(name, otherwise);
}

constexpr uint64_t kMostRows = 100;

// The size of a text or document in a message.
size_t BytesOf(const OrderedJson& json) {
  return json.dump(-1, ' ', true, OrderedJson::error_handler_t::replace).size();
}

// Rows as a list of Markdown and as an array.
class Rows {
 public:
  // `offset` rows were left out before the first. `head` is the text above the rows.
  Rows(std::string head, OrderedJson structured, const char* name, uint64_t offset)
      : text_(std::move(head)), structured_(std::move(structured)), name_(name), offset_(offset) {
    structured_[name_] = OrderedJson::array();
    used_ = BytesOf(text_) + BytesOf(structured_) + kRoomForEnd;
  }

  // False: the row does not fit.
  bool Add(const std::string& line, OrderedJson row) {
    const size_t bytes = BytesOf(line) + BytesOf(row);
    if (used_ + bytes > kMostAnswerBytes) return false;
    used_ += bytes;
    absl::StrAppend(&text_, line, "\n");
    structured_[name_].push_back(std::move(row));
    return true;
  }

  // `all`: the number of rows that there are.
  ToolAnswer Take(uint64_t all) {
    const uint64_t end = offset_ + structured_[name_].size();
    structured_["offset"] = offset_;
    structured_["all"] = all;
    if (end < all) {
      absl::StrAppend(&text_, "\nRows ", std::min(offset_ + 1, end), " to ", end, " of ", all,
                      "; pass offset=", end, " for the next ones.\n");
    }
    return {std::move(text_), std::move(structured_)};
  }

 private:
  static constexpr size_t kRoomForEnd = 200;

  std::string text_;
  OrderedJson structured_;
  std::string name_;
  uint64_t offset_;
  size_t used_ = 0;
};

// Adds the rows from `offset` on, at most `limit`.
template <typename T>
ToolAnswer ListRows(Rows rows, const std::vector<T>& all, uint64_t offset, uint64_t limit,
                    const std::function<std::pair<std::string, OrderedJson>(const T&)>& row_of) {
  for (uint64_t i = offset; i < all.size() && i - offset < limit; ++i) {
    auto [line, row] = row_of(all[i]);
    if (!rows.Add(line, std::move(row))) break;
  }
  return rows.Take(all.size());
}

// The first `most` bytes of whole lines, in a block that Markdown does not interpret.
std::string Block(absl::string_view text, size_t most) {
  std::string shown;
  bool is_cut = false;
  for (const absl::string_view line : absl::StrSplit(absl::StripSuffix(text, "\n"), '\n')) {
    is_cut = BytesOf(absl::StrCat(shown, line)) > most;
    if (is_cut) break;
    absl::StrAppend(&shown, line, "\n");
  }
  return absl::StrCat("```text\n", absl::StrReplaceAll(shown, {{"```", "'''"}}), "```\n",
                      is_cut ? "The rest is cut.\n" : "");
}

template <typename Response, typename Request>
absl::StatusOr<Response> Get(const Ask& ask, const char* method, const Request& request) {
  ASSIGN_OR_RETURN(const std::unique_ptr<google::protobuf::Message> response,
                   ask.call(method, std::make_unique<Request>(request)));
  return static_cast<const Response&>(*response);
}

// Findings.

std::string Place(const v1::Site& site) {
  return reporter::MarkdownCode(reporter::PlaceOf(site), false);
}

std::string FindingLine(const v1::Finding& finding) {
  const bool is_calls = finding.metric() == v1::Finding::CALLS;
  const auto value = [&](double number) {
    return is_calls ? absl::StrCat(reporter::HumanCount(number), " calls")
                    : reporter::HumanTime(number, "seconds");
  };
  std::string line = absl::StrCat("- ", reporter::VerdictName(finding.verdict()), " ",
                                  reporter::FunctionCode(finding.function_display(), false));
  if (!finding.caller().empty()) {
    absl::StrAppend(&line, " called by ", reporter::FunctionCode(finding.caller_display(), false));
  }
  absl::StrAppend(&line, ": ", value(finding.after()), ", was ", value(finding.before()));
  absl::StrAppend(&line, "; ", reporter::ShareWords(reporter::RowOfFinding(finding)));
  const std::string place = Place(finding.site());
  absl::StrAppend(&line, place.empty() ? "" : "; ", place, "; finding ",
                  reporter::FindingId(finding));
  return line;
}

// The members that choose what to look at next. `explain` has all.
OrderedJson FindingRow(const v1::Finding& finding) {
  const OrderedJson all = reporter::MessageJson(finding);
  OrderedJson row;
  for (const char* name :
       {"id", "verdict", "metric", "function_display", "caller_display", "target", "before",
        "after", "impact", "test_effect", "confidence", "material", "explained"}) {
    row[name] = all[name];
  }
  row["site"] = finding.site().file().empty() ? OrderedJson(nullptr) : all["site"];
  return row;
}

// Without the hidden line by which a comment is found again.
std::string VisibleMarkdown(const v1::Report& report) {
  reporter::MarkdownOptions options;
  options.only_screen = true;
  options.max_bytes = kMostAnswerBytes / 3;
  const std::string markdown = reporter::RenderMarkdown(report, options);
  return markdown.substr(markdown.find('\n') + 1);
}

absl::StatusOr<ToolAnswer> Compare(const Ask& ask, const Json& arguments) {
  v1::CompareRequest request;
  request.set_head(Text(arguments, "run", "latest"));
  request.set_base(Text(arguments, "base"));
  ASSIGN_OR_RETURN(const v1::Report report, Get<v1::Report>(ask, "Compare", request));
  const uint64_t offset = Number(arguments, "offset", 0);
  const std::vector<v1::Finding> findings(report.findings().begin(), report.findings().end());
  OrderedJson about = {{"base", report.compared().base().commit()},
                       {"head", report.compared().head().commit()},
                       {"baseline_reason", report.compared().baseline_reason()}};
  Rows rows(offset == 0 ? VisibleMarkdown(report) + "\nFindings:\n" : "Findings:\n",
            std::move(about), "findings", offset);
  return ListRows<v1::Finding>(std::move(rows), findings, offset, Number(arguments, "limit", 10),
                               [](const v1::Finding& finding) {
                                 return std::pair(FindingLine(finding), FindingRow(finding));
                               });
}

absl::StatusOr<ToolAnswer> Explain(const Ask& ask, const Json& arguments) {
  v1::ExplainRequest request;
  request.set_finding(Text(arguments, "finding"));
  request.set_head(Text(arguments, "run", "latest"));
  request.set_base(Text(arguments, "base"));
  ASSIGN_OR_RETURN(v1::Explanation explanation, Get<v1::Explanation>(ask, "Explain", request));
  std::string text = Block(reporter::RenderExplanationText(explanation, false), 3000);
  for (const std::string& edited : explanation.finding().edited()) {
    if (text.size() > kMostAnswerBytes / 2) break;
    absl::StrAppend(&text,
                    "Its code changed: ", reporter::FunctionCode(profile::Demangle(edited), false),
                    "\n");
  }
  if (!explanation.verify().empty()) {
    absl::StrAppend(&text, "Run the test: ", reporter::MarkdownCode(explanation.reproduce(), false),
                    "\nAfter an edit: ", reporter::MarkdownCode(explanation.verify(), false), "\n");
  }
  OrderedJson structured = reporter::MessageJson(explanation);
  // Paths are the long part; their ends tell most.
  bool is_cut = false;
  while (BytesOf(text) + BytesOf(structured) > kMostAnswerBytes) {
    auto* const path = &structured["base"]["path"];
    auto* const longer =
        path->size() >= structured["head"]["path"].size() ? path : &structured["head"]["path"];
    if (longer->empty()) break;
    longer->erase(longer->begin());
    is_cut = true;
  }
  structured["path_is_cut"] = is_cut;
  return ToolAnswer{std::move(text), std::move(structured)};
}

absl::StatusOr<ToolAnswer> ListRuns(const Ask& ask, const Json& arguments) {
  v1::ListRunsRequest request;
  request.set_branch(Text(arguments, "branch"));
  request.set_pull_request(Text(arguments, "pull_request"));
  const uint64_t offset = std::min<uint64_t>(Number(arguments, "offset", 0), 900);
  const uint64_t limit = std::clamp<uint64_t>(Number(arguments, "limit", 20), 1, kMostRows);
  // One more than is shown tells whether there are others.
  request.set_limit(static_cast<uint32_t>(offset + limit + 1));
  ASSIGN_OR_RETURN(const v1::ListRunsResponse response,
                   Get<v1::ListRunsResponse>(ask, "ListRuns", request));
  const std::vector<v1::Run> runs(response.runs().begin(), response.runs().end());
  return ListRows<v1::Run>(
      Rows("Runs, newest first:\n", OrderedJson::object(), "runs", offset), runs, offset, limit,
      [](const v1::Run& run) {
        const std::string when = absl::FormatTime(
            "%Y-%m-%d %H:%M", absl::FromUnixMillis(run.received_unix_ms()), absl::UTCTimeZone());
        const v1::RunInfo& info = run.info();
        const std::string line = absl::StrCat(
            "- run ", run.run_id(), ": ", when, " UTC, commit ", info.commit().substr(0, 12), ", ",
            reporter::MarkdownCode(info.branch(), false),
            info.pull_request().empty()
                ? ""
                : absl::StrCat(", pull request ",
                               reporter::MarkdownCode(info.pull_request(), false)),
            run.jobs_pending() > 0 ? ", not analysed yet" : "");
        OrderedJson row = {{"run_id", run.run_id()},
                           {"commit", info.commit()},
                           {"branch", base::ToUtf8(info.branch())},
                           {"pull_request", info.pull_request()},
                           {"received", when},
                           {"jobs_pending", run.jobs_pending()}};
        return std::pair(line, row);
      });
}

// Profiles.

absl::StatusOr<profile::ComputedProfile> ReadProfile(const Ask& ask, const Json& arguments) {
  v1::GetProfileRequest request;
  request.set_run(Text(arguments, "run", "latest"));
  request.set_target(Text(arguments, "target"));
  ASSIGN_OR_RETURN(const v1::GetProfileResponse response,
                   Get<v1::GetProfileResponse>(ask, "GetProfile", request));
  return profile::DecodeComputedProfile(response.computed(), ask.decoding);
}

std::string DisplayOf(const profile::ComputedProfile& profile, uint32_t row) {
  return base::Printable(profile::Demangle(profile.strings[profile.functions[row].name]));
}

std::string PlaceOf(const profile::ComputedProfile& profile, uint32_t file, uint32_t line) {
  v1::Site site;
  site.set_file(base::ToUtf8(profile.strings[file]));
  site.set_line(line);
  return Place(site);
}

OrderedJson SiteOf(const profile::ComputedProfile& profile, uint32_t file, uint32_t line) {
  if (file == 0) return nullptr;
  return {{"file", base::ToUtf8(profile.strings[file])}, {"line", line}};
}

absl::StatusOr<ToolAnswer> Hottest(const Ask& ask, const Json& arguments) {
  ASSIGN_OR_RETURN(const profile::ComputedProfile profile, ReadProfile(ask, arguments));
  std::vector<uint32_t> rows;
  for (uint32_t row = 0; row < profile.functions.size(); ++row) {
    if (profile.functions[row].self_samples > 0) rows.push_back(row);
  }
  std::sort(rows.begin(), rows.end(), [&](uint32_t a, uint32_t b) {
    return std::pair(-profile.functions[a].self_samples, a) <
           std::pair(-profile.functions[b].self_samples, b);
  });
  const double all = std::max(profile.total_samples, 1.0);
  const uint64_t offset = Number(arguments, "offset", 0);
  return ListRows<uint32_t>(
      Rows("Functions by self time:\n", OrderedJson::object(), "functions", offset), rows, offset,
      Number(arguments, "limit", 20), [&](const uint32_t row) {
        const profile::FunctionCost& cost = profile.functions[row];
        const double self = cost.self_samples / all;
        const double total = std::min(1.0, (cost.self_samples + cost.child_samples) / all);
        const std::string name = DisplayOf(profile, row);
        const std::string place = PlaceOf(profile, cost.file, cost.line);
        const std::string line = absl::StrCat(
            "- ", reporter::FunctionCode(name, false), ": ", reporter::HumanShare(self), " self, ",
            reporter::HumanShare(total), " with callees, ",
            reporter::HumanCount(static_cast<double>(cost.calls + cost.self_calls)), " calls",
            place.empty() ? "" : ", ", place);
        OrderedJson json = {{"function", base::Shortened(name, 200)},
                            {"self", self},
                            {"total", total},
                            {"calls", cost.calls + cost.self_calls},
                            {"site", SiteOf(profile, cost.file, cost.line)}};
        return std::pair(line, json);
      });
}

// The row whose linkage or demangled name is `name`, or the only one with this part of it.
absl::StatusOr<uint32_t> FindFunction(const profile::ComputedProfile& profile,
                                      const std::string& name) {
  std::vector<uint32_t> parts;
  for (uint32_t row = 0; row < profile.functions.size(); ++row) {
    const std::string display = DisplayOf(profile, row);
    if (display == name || profile.strings[profile.functions[row].name] == name) return row;
    if (absl::StrContains(display, name)) parts.push_back(row);
  }
  if (parts.size() == 1) return parts.front();
  if (parts.empty()) return absl::NotFoundError("no function of this name ran in the target");
  std::string names;
  for (size_t i = 0; i < std::min<size_t>(parts.size(), 5); ++i) {
    absl::StrAppend(&names, i == 0 ? "" : "; ", base::Shortened(DisplayOf(profile, parts[i]), 100));
  }
  return absl::InvalidArgumentError(
      absl::StrCat(parts.size(), " functions contain this name; use a whole one: ", names));
}

absl::StatusOr<ToolAnswer> Neighbours(const Ask& ask, const Json& arguments) {
  ASSIGN_OR_RETURN(const profile::ComputedProfile profile, ReadProfile(ask, arguments));
  ASSIGN_OR_RETURN(const uint32_t function, FindFunction(profile, Text(arguments, "function")));
  std::vector<const profile::ArcCost*> arcs;
  for (const profile::ArcCost& arc : profile.arcs) {
    if (arc.callee == function || arc.caller == function) arcs.push_back(&arc);
  }
  // Callers first; of each kind those with most calls.
  std::stable_sort(arcs.begin(), arcs.end(), [&](const auto* a, const auto* b) {
    return std::pair(a->callee != function, -static_cast<double>(a->count)) <
           std::pair(b->callee != function, -static_cast<double>(b->count));
  });
  const profile::FunctionCost& cost = profile.functions[function];
  const std::string name = DisplayOf(profile, function);
  const std::string place = PlaceOf(profile, cost.file, cost.line);
  const uint64_t offset = Number(arguments, "offset", 0);
  Rows rows(
      absl::StrCat(reporter::FunctionCode(name, false), place.empty() ? "" : " at ", place, ": ",
                   reporter::HumanCount(static_cast<double>(cost.calls + cost.self_calls)),
                   " calls\n"),
      {{"function", base::Shortened(name, 200)}, {"calls", cost.calls + cost.self_calls}}, "arcs",
      offset);
  return ListRows<const profile::ArcCost*>(
      std::move(rows), arcs, offset, Number(arguments, "limit", 30),
      [&](const profile::ArcCost* const& arc) {
        const bool is_caller = arc->callee == function;
        const uint32_t other = is_caller ? arc->caller : arc->callee;
        const std::string display = other < profile.functions.size() ? DisplayOf(profile, other)
                                                                     : std::string("<spontaneous>");
        const std::string site = PlaceOf(profile, arc->site_file, arc->site_line);
        const std::string line = absl::StrCat(is_caller ? "- caller " : "- callee ",
                                              reporter::FunctionCode(display, false), ": ",
                                              reporter::HumanCount(static_cast<double>(arc->count)),
                                              " calls", site.empty() ? "" : " at ", site);
        OrderedJson json = {{"kind", is_caller ? "caller" : "callee"},
                            {"function", base::Shortened(display, 200)},
                            {"calls", arc->count},
                            {"site", SiteOf(profile, arc->site_file, arc->site_line)}};
        return std::pair(line, json);
      });
}

absl::StatusOr<ToolAnswer> AnnotatedSource(const Ask& ask, const Json& arguments) {
  v1::GetListingRequest request;
  request.set_run(Text(arguments, "run", "latest"));
  request.set_target(Text(arguments, "target"));
  request.set_kind(v1::GetListingRequest::ANNOTATED_SOURCE);
  request.set_brief(true);
  ASSIGN_OR_RETURN(const v1::TextChunk listing, Get<v1::TextChunk>(ask, "GetListing", request));
  const std::string file = Text(arguments, "file");
  const uint64_t first = std::max<uint64_t>(1, Number(arguments, "first_line", 1));
  std::vector<std::pair<uint64_t, std::string>> lines;
  std::set<std::string> files;
  bool inside = false;
  uint64_t number = 0;
  for (absl::string_view line : absl::StrSplit(listing.text(), '\n')) {
    if (absl::ConsumePrefix(&line, "*** File ")) {
      const std::string name(absl::StripSuffix(line, ":"));
      inside = name == file || absl::EndsWith(name, absl::StrCat("/", file));
      files.insert(name);
      number = 0;
    } else if (inside && ++number >= first) {
      lines.emplace_back(number, base::PrintableLines(line));
    }
  }
  if (!files.empty() && lines.empty()) {
    std::string names;
    for (const std::string& name : files) {
      if (names.size() < 500) absl::StrAppend(&names, names.empty() ? "" : ", ", name);
    }
    return absl::NotFoundError(absl::StrCat("no lines of this file; files: ", names));
  }
  return ListRows<std::pair<uint64_t, std::string>>(
      Rows("Calls before each line that begins a function:\n", {{"file", file}}, "lines",
           first - 1),
      lines, 0, Number(arguments, "limit", 60), [](const auto& line) {
        return std::pair(
            absl::StrCat(line.first, ": ", reporter::MarkdownCode(line.second, false, 200)),
            OrderedJson{{"line", line.first}, {"text", base::ToUtf8(line.second)}});
      });
}

absl::StatusOr<ToolAnswer> Trend(const Ask& ask, const Json& arguments) {
  v1::GetTrendRequest request;
  request.set_function(Text(arguments, "function"));
  request.set_target(Text(arguments, "target"));
  request.set_branch(Text(arguments, "branch"));
  request.set_limit(
      static_cast<uint32_t>(std::clamp<uint64_t>(Number(arguments, "limit", 20), 1, kMostRows)));
  ASSIGN_OR_RETURN(const v1::GetTrendResponse trend,
                   Get<v1::GetTrendResponse>(ask, "GetTrend", request));
  // The newest first: they are what is left if the rest is cut.
  const std::vector<v1::TrendPoint> points(trend.points().rbegin(), trend.points().rend());
  Rows rows(absl::StrCat(reporter::FunctionCode(trend.function_display(), false),
                         ", newest run first:\n"),
            {{"function", base::ToUtf8(trend.function())}}, "points", 0);
  return ListRows<v1::TrendPoint>(
      std::move(rows), points, 0, kMostRows, [&](const v1::TrendPoint& point) {
        const bool is_new_level = point.calls_change() != v1::NO_CHANGE;
        return std::pair(
            absl::StrCat("- run ", point.run_id(), ", commit ", point.commit().substr(0, 12), ": ",
                         reporter::HumanCount(point.calls()), " calls, ",
                         reporter::HumanTime(point.self_seconds(), trend.dimension()), " self",
                         is_new_level ? "; a new number of calls begins here" : ""),
            OrderedJson{{"run_id", point.run_id()},
                        {"commit", point.commit()},
                        {"calls", point.calls()},
                        {"self", point.self_seconds()},
                        {"is_new_level", is_new_level}});
      });
}

}  // namespace

const std::vector<Tool>& Tools() {
  const OrderedJson run =
      TextArgument("run id, commit, branch, `#12` for a pull request, or `latest` (default)");
  const OrderedJson base = TextArgument("run to compare with (default: of the merge base)");
  const OrderedJson target = TextArgument("Bazel label of the test (default: the run's only one)");
  const OrderedJson limit = NumberArgument("most rows");
  const OrderedJson offset = NumberArgument("rows to leave out at the beginning");
  static const auto* const tools = new std::vector<Tool>{
      {"list_runs",
       "List runs",
       "Uploaded runs, newest first.",
       {{"branch", TextArgument("only runs of this branch")},
        {"pull_request", TextArgument("only runs of this pull request, by its number")},
        {"limit", limit},
        {"offset", offset}},
       {},
       ListRuns},
      {"compare",
       "Compare a run with its baseline",
       "What a run changed: functions called more or less often, slower or faster, the most "
       "important first, with file and line of the call. Counts are exact.",
       {{"run", run}, {"base", base}, {"limit", limit}, {"offset", offset}},
       {},
       Compare},
      {"explain",
       "Explain a finding",
       "One finding: counts on both sides, call paths, edited functions, and the commands that "
       "reproduce it and verify a repair.",
       {{"finding", TextArgument("id of the finding, from `compare`")},
        {"run", run},
        {"base", base}},
       {"finding"},
       Explain},
      {"callers_and_callees",
       "Callers and callees of a function",
       "Who calls a function and whom it calls in one test, with exact counts and call sites.",
       {{"function", TextArgument("linkage or demangled name, or a unique part of it")},
        {"run", run},
        {"target", target},
        {"limit", limit},
        {"offset", offset}},
       {"function"},
       Neighbours},
      {"hottest_functions",
       "Functions by self time",
       "The functions of one test with most CPU time of their own.",
       {{"run", run}, {"target", target}, {"limit", limit}, {"offset", offset}},
       {},
       Hottest},
      {"annotated_source",
       "Source with counts",
       "Lines of a source file with the numbers of calls of the functions that begin there. Needs "
       "a "
       "server that may read the repository.",
       {{"file", TextArgument("path in the repository")},
        {"first_line", NumberArgument("line to begin with (default 1)")},
        {"run", run},
        {"target", target},
        {"limit", limit}},
       {"file"},
       AnnotatedSource},
      {"function_trend",
       "History of a function",
       "Calls and self time of one function over the newest runs of a branch.",
       {{"function", TextArgument("linkage or demangled name, or a unique part of it")},
        {"target", TextArgument("one test only (default: the sum of all)")},
        {"branch", TextArgument("default: the main branch")},
        {"limit", limit}},
       {"function"},
       Trend},
  };
  return *tools;
}

}  // namespace gprofhub::mcp
