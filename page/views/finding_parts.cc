#include "page/views/finding_parts.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/hash.h"
#include "page/html.h"
#include "page/trend_picture.h"
#include "page/words.h"
#include "reporter/findings/text.h"
#include "reporter/gate/gate.h"

namespace gprofhub::page {

namespace {

constexpr absl::string_view kPassed = "PASSED";
// Status of a test of which only outputs were found.
constexpr absl::string_view kUnknown = "NO_STATUS";

std::string AnchorOf(absl::string_view what, absl::string_view name) {
  constexpr size_t kDigits = 16;
  return absl::StrCat(what, "-", base::Sha256Hex(name).substr(0, kDigits));
}

Html DurationWords(uint64_t milliseconds) {
  if (milliseconds == 0) return Html();
  return reporter::HumanTime(static_cast<double>(milliseconds) / 1000, "seconds");
}

bool IsLastAttempt(const v1::Target& target, int i) {
  if (i + 1 == target.execution_list_size()) return true;
  const v1::Execution& one = target.execution_list(i);
  const v1::Execution& next = target.execution_list(i + 1);
  return one.run_number() != next.run_number() || one.shard() != next.shard();
}

// Which numbers (run, shard, attempt) distinguish the executions.
struct Numbers {
  bool runs = false, shards = false, attempts = false;
};

Numbers NumbersOf(const v1::Target& target) {
  Numbers numbers;
  for (const v1::Execution& one : target.execution_list()) {
    numbers.runs = numbers.runs || one.run_number() > 1;
    numbers.shards = numbers.shards || one.shard() > 1;
    numbers.attempts = numbers.attempts || one.attempt() > 1;
  }
  return numbers;
}

Html ItemOf(const v1::Execution& one, const Numbers& numbers) {
  std::vector<std::string> words;
  if (numbers.runs) words.push_back(absl::StrCat("run ", one.run_number()));
  if (numbers.shards) words.push_back(absl::StrCat("shard ", one.shard()));
  if (numbers.attempts) words.push_back(absl::StrCat("attempt ", one.attempt()));
  std::vector<Html> pieces = {Html(absl::StrJoin(words, ", "))};
  for (const Html& piece :
       {one.status() == kUnknown ? Html() : ResultBadge(one.status()),
        DurationWords(one.duration_ms()), Html(one.cached() ? "from a cache" : "")}) {
    if (piece.empty()) continue;
    if (!pieces.back().empty()) pieces.emplace_back(" ");
    pieces.push_back(piece);
  }
  return El("li", {}, Join(pieces));
}

}  // namespace

Html ResultOf(const v1::Target& target) {
  std::string status;
  bool is_flaky = false;
  for (int i = 0; i < target.execution_list_size(); ++i) {
    const std::string& word = target.execution_list(i).status();
    if (word.empty() || word == kUnknown) continue;
    if (!IsLastAttempt(target, i)) {
      is_flaky = is_flaky || word != kPassed;
    } else if (status.empty() || status == kPassed) {
      status = word;
    }
  }
  if (status.empty()) return Html();
  return ResultBadge(status == kPassed && is_flaky ? "FLAKY" : status);
}

Html ExecutionsOf(const v1::Target& target) {
  if (target.execution_list_size() < 2) return Count(target.executions());
  const Numbers numbers = NumbersOf(target);
  std::vector<Html> items;
  for (const v1::Execution& one : target.execution_list()) items.push_back(ItemOf(one, numbers));
  return El("details", {{"id", AnchorOf("executions", target.label())}, {"class", "executions"}},
            {El("summary", {}, Count(target.executions())), El("ul", {}, Join(items))});
}

Html TestTimeOf(const std::vector<const v1::Target*>& targets) {
  uint64_t milliseconds = 0;
  for (const v1::Target* target : targets) {
    for (const v1::Execution& one : target->execution_list()) milliseconds += one.duration_ms();
  }
  return DurationWords(milliseconds);
}

std::string LogPlace(absl::string_view test) { return AnchorOf("log", test); }

namespace {

// Longer diffs are not shown: they are unreadable.
constexpr size_t kMostLines = 400;

Html LineNumber(uint32_t line) { return line == 0 ? Html() : Html(absl::StrCat(line)); }

Row RowOf(const DiffLine& line, const FindingDiff& diff) {
  const bool is_here = diff.line != 0 && diff.line == (diff.is_head ? line.after : line.before);
  Row row;
  std::string sign = " ";
  switch (line.kind) {
    case DiffLine::Kind::kKept:
      break;
    case DiffLine::Kind::kRemoved:
      row.css_class = "removed";
      sign = "−";
      break;
    case DiffLine::Kind::kAdded:
      row.css_class = "added";
      sign = "+";
      break;
  }
  if (is_here) absl::StrAppend(&row.css_class, " here");
  row.cells = {LineNumber(line.before), LineNumber(line.after), Html(sign),
               El("code", {{"class", "line"}},
                  Html::Lines(absl::StrReplaceAll(line.text, {{"\t", "        "}, {"\r", ""}})))};
  return row;
}

Html HunksTable(const std::string& caption, const std::vector<DiffHunk>& hunks,
                const FindingDiff& diff) {
  std::vector<Row> rows;
  size_t left_out = 0;
  for (const DiffHunk& hunk : hunks) {
    if (!rows.empty() && rows.size() < kMostLines) {
      rows.push_back({{Html("…"), Html("…"), Html(), Html()}, "", "between"});
    }
    for (const DiffLine& line : hunk) {
      if (rows.size() < kMostLines) {
        rows.push_back(RowOf(line, diff));
      } else {
        ++left_out;
      }
    }
  }
  Html table = El(
      "div", {{"class", "diff"}},
      Table(caption,
            {{"Base", true}, {"Head", true}, {"±", false, "+ was added, − was removed"}, {"Line"}},
            rows));
  if (left_out == 0) return table;
  return Join({table, El("p", {{"class", "about"}},
                         Html(absl::StrCat("And ", left_out,
                                           left_out == 1 ? " more line." : " more lines.")))});
}

std::string Places(size_t count) {
  return count == 1 ? "1 other place of the file changed"
                    : absl::StrCat(count, " other places of the file changed");
}

}  // namespace

Html FindingDiffView(const Context& context, const v1::Compared& compared,
                     const v1::Finding& finding, const FindingDiff& diff) {
  if (diff.file.empty() || !diff.is_read) return "";
  const std::string& blamed =
      finding.caller().empty() ? finding.function_display() : finding.caller_display();
  const Html title = El("h2", {}, "Source change");
  const Html between =
      El("p", {{"class", "about"}},
         {PlaceOf(context.links, diff.is_head ? compared.head().commit() : compared.base().commit(),
                  diff.file, diff.line),
          Html(" from "), CommitOf(context.links, compared.base().commit()), Html(" to "),
          CommitOf(context.links, compared.head().commit())});
  if (!diff.problem.empty()) {
    return Join({title, between, El("p", {{"class", "note"}}, Html(diff.problem))});
  }
  if (diff.own.empty() && diff.others.empty()) {
    return Join(
        {title, between, El("p", {{"class", "note"}}, "The file is the same in both commits.")});
  }
  const Html own = diff.own.empty()
                       ? El("p", {{"class", "note"}},
                            {Html("No line of "), FunctionCode(blamed), Html(" changed.")})
                       : HunksTable("Changed lines of the function", diff.own, diff);
  const Html others =
      diff.others.empty()
          ? Html()
          : El("details", {},
               {El("summary", {}, Html(Places(diff.others.size()))),
                HunksTable("Changed lines of the rest of the file", diff.others, diff)});
  return Join({title, between, own, others});
}

namespace {

constexpr size_t kHistoryRuns = 50;

const store::AcknowledgementRecord* AcknowledgedBy(const Comparison& comparison,
                                                   const v1::Finding& finding) {
  for (const store::AcknowledgementRecord& record : comparison.acknowledgements) {
    if (reporter::Covers(record, finding.function(), finding.function_display(),
                         finding.target())) {
      return &record;
    }
  }
  return nullptr;
}

}  // namespace

Overall OverallOf(const v1::Report& report, const std::vector<reporter::TestSummary>& tests) {
  if (!report.compared().has_base()) return {"neutral", "no baseline"};
  size_t slower = 0, faster = 0, regressions = 0, improvements = 0;
  for (const reporter::TestSummary& test : tests) {
    slower += test.verdict == reporter::TestVerdict::kSlower;
    faster += test.verdict == reporter::TestVerdict::kFaster;
    regressions += test.regressions.count;
    improvements += test.improvements.count;
  }
  const bool has_net = slower + faster > 0;
  const bool worse = has_net ? slower > 0 : regressions > 0;
  const bool better = has_net ? faster > 0 : improvements > 0;
  if (worse && better) return {"worse", "± mixed"};
  if (worse) return {"worse", "▲ costs more"};
  if (better) return {"better", "▼ costs less"};
  if (report.compared().targets().empty()) return {"neutral", "not compared"};
  return {"neutral", "= no significant change"};
}

bool FailsGate(const Comparison& comparison, const v1::Finding& finding) {
  if (AcknowledgedBy(comparison, finding) != nullptr) return false;
  const store::GatedRecord wanted =
      reporter::MakeGatedRecord({}, "", finding.target(), finding.function(), "");
  return absl::c_any_of(comparison.gated, [&wanted](const store::GatedRecord& one) {
    return one.target == wanted.target && one.function == wanted.function;
  });
}

Html PlaceOfFinding(const Context& context, const v1::Report& report, const v1::Finding& finding) {
  const bool is_gone = finding.verdict() == v1::Finding::VANISHED || finding.after() == 0;
  const v1::Compared::Side& side = is_gone ? report.compared().base() : report.compared().head();
  return PlaceOf(context.links, side.commit(), finding.site().file(), finding.site().line());
}

Html Interval(const v1::Finding& finding) {
  if (finding.exact()) return "exact";
  if (finding.one_run()) return "one run each";
  if (finding.interval_low_percent() == 0 && finding.interval_high_percent() == 0) return "";
  return absl::StrCat("95%: ", reporter::HumanEffect(finding.interval_low_percent()), " to ",
                      reporter::HumanEffect(finding.interval_high_percent()));
}

Html AcknowledgedWords(const Comparison& comparison, const v1::Finding& finding) {
  const store::AcknowledgementRecord* const record = AcknowledgedBy(comparison, finding);
  if (record == nullptr) return "";
  return El(
      "p", {{"class", "note"}},
      Html(absl::StrCat("✓ ", record->not_a_regression ? "Marked as a false alarm" : "Accepted",
                        record->author.empty() ? "" : absl::StrCat(" by ", record->author), ": ",
                        record->reason)));
}

Html HistoryOf(const Comparison& comparison, const v1::Finding& finding) {
  const auto trend = comparison.trends.find({finding.function(), finding.target()});
  if (trend == comparison.trends.end() || trend->second.points_size() < 2) return "";
  const std::optional<TrendValue> value = TrendValueOf(finding);
  if (!value.has_value()) return "";
  const std::string words = TrendTitle(trend->second, *value);
  const Html dots = HistoryDots(
      absl::StrCat(words, " per execution in the last ",
                   std::min<size_t>(kHistoryRuns, trend->second.points_size()), " runs"),
      DotsOf(trend->second, *value, comparison.report.compared().base().commit(),
             comparison.report.compared().head().commit(), kHistoryRuns));
  if (dots.empty()) return "";
  return El("figure", {},
            {dots, El("figcaption", {},
                      {Html(absl::StrCat(words, " by run: ")),
                       El("span", {{"class", "key base"}}, "○ base"), Html(" "),
                       El("span", {{"class", "key head"}}, "● head"), Html(", oldest first")})});
}

}  // namespace gprofhub::page
