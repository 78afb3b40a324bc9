// Layout of the comment: the essentials must fit the first screen, which is small. So there are
// several variants (kCuts), and the first that fits is used: three causes, or fewer, or one in its
// shortest form. Omitted rows are counted. Long names cannot break this, because each part of the
// screen is bounded, and the last variant fits with all parts at their bounds.
#include "reporter/rendering/markdown.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "base/text.h"
#include "proto/findings.pb.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/row_words.h"
#include "reporter/rendering/test_summary.h"

namespace gprofhub::reporter {

namespace {

// The folded section of a comment that lists the compared runs.

// Markdown: a <details> of at most about 20 lines.
std::string ComparedSection(const v1::Report& report);

constexpr int kListedNames = 5;
constexpr size_t kListedReasons = 3;
constexpr int kListedWarnings = 5;
// Of a folded note or reason: about five lines, which hold any of ours.
constexpr size_t kListedNoteCharacters = 600;

std::string InText(absl::string_view name) { return MarkdownCode(name, /*in_table=*/false); }

std::string ListedNote(absl::string_view text) {
  return MarkdownCode(FirstClauses(text, kListedNoteCharacters), /*in_table=*/false,
                      kListedNoteCharacters);
}

template <typename Names>
std::string NameList(const Names& names) {
  std::vector<std::string> quoted;
  const auto size = static_cast<int>(names.size());
  for (int i = 0; i < size && i < kListedNames; ++i) quoted.push_back(InText(names[i]));
  std::string list = absl::StrJoin(quoted, ", ");
  if (size > kListedNames) {
    absl::StrAppend(&list, " and ", size - kListedNames, " more");
  }
  return list;
}

// "1 test", "2,000 tests".
std::string SideWords(const v1::Compared::Side& side) {
  std::string words = InText(side.commit().substr(0, 12));
  if (words.empty()) words = InText(side.run_id());
  if (!side.branch().empty()) absl::StrAppend(&words, " on ", InText(side.branch()));
  if (!side.run_id().empty() && !side.commit().empty()) {
    absl::StrAppend(&words, ", run ", InText(side.run_id()));
  }
  if (side.runs() > 1) absl::StrAppend(&words, ", ", CountOfNoun(side.runs(), "run"), " together");
  absl::StrAppend(&words, ", ", CountOfNoun(side.executions(), "test execution"), ", ",
                  HumanTime(side.total_seconds(), "seconds"), " of CPU sampled");
  return words;
}

std::string ComparedSection(const v1::Report& report) {
  const v1::Compared& compared = report.compared();
  std::string out = "\n<details><summary>Compared runs</summary>\n\n";
  absl::StrAppend(&out, "- this: ", SideWords(compared.head()), "\n");
  if (compared.has_base()) {
    absl::StrAppend(&out, "- base: ", SideWords(compared.base()), "\n");
  }
  if (!compared.baseline_reason().empty()) {
    absl::StrAppend(&out, "- choice of the base: ", ListedNote(compared.baseline_reason()), "\n");
  }
  if (!compared.configuration().empty()) {
    absl::StrAppend(&out, "- configuration: ", InText(compared.configuration()), "\n");
  }
  if (compared.has_base()) {
    absl::StrAppend(&out, "- ", CountOfNoun(compared.functions(), "function"), " and ",
                    CountOfNoun(compared.arcs(), "caller-callee pair"), " in ",
                    CountOfNoun(compared.targets_size(), "test"));
    if (compared.targets_size() > 0) absl::StrAppend(&out, ": ", NameList(compared.targets()));
    out += "\n";
  }
  if (compared.new_targets_size() > 0) {
    absl::StrAppend(&out, "- only here: ", NameList(compared.new_targets()), "\n");
  }
  if (compared.vanished_targets_size() > 0) {
    absl::StrAppend(&out, "- only in the base: ", NameList(compared.vanished_targets()), "\n");
  }
  if (compared.machine_speed_factor() > 0) {
    absl::StrAppend(&out, "- machine speed: the head's took ",
                    absl::StrFormat("%.2f", compared.machine_speed_factor()),
                    "× as long; its times are divided by that\n");
  }
  if (compared.unchanged_targets_size() > 0) {
    absl::StrAppend(&out, "- same binary as at the base, or its own result: ",
                    NameList(compared.unchanged_targets()), "\n");
  }
  if (compared.cached_targets_size() > 0) {
    absl::StrAppend(
        &out, "- from Bazel's cache, not run again: ", NameList(compared.cached_targets()), "\n");
  }
  const auto reasons = NotComparedByReason(compared);
  for (size_t i = 0; i < reasons.size() && i < kListedReasons; ++i) {
    const auto& [reason, targets] = reasons[i];
    absl::StrAppend(&out, "- not compared: ", NameList(targets), ": ", ListedNote(reason), "\n");
  }
  if (reasons.size() > kListedReasons) {
    absl::StrAppend(&out, "- not compared for other reasons: ",
                    CountOfNoun(reasons.size() - kListedReasons, "reason"), "\n");
  }
  for (int i = 0; i < report.warnings_size() && i < kListedWarnings; ++i) {
    absl::StrAppend(&out, "- note: ", ListedNote(report.warnings(i)), "\n");
  }
  if (report.warnings_size() > kListedWarnings) {
    const auto more = static_cast<uint64_t>(report.warnings_size() - kListedWarnings);
    absl::StrAppend(&out, "- and ", CountOfNoun(more, "more note"), "\n");
  }
  if (compared.has_base()) {
    out += "- how to read this: `docs/reading-the-comment.md` of gprofhub\n";
  }
  return out + "\n</details>\n";
}

// Amount of detail on the first screen, in descending order.
struct Cut {
  size_t tests;  // rows of the table
  size_t causes;
  size_t improvements;
  size_t notes;
  bool in_full;  // causes with their target and side effects
};
constexpr Cut kCuts[] = {{3, 3, 3, 2, true}, {1, 3, 3, 2, true}, {0, 3, 1, 2, true},
                         {1, 2, 1, 2, true}, {1, 1, 1, 2, true}, {1, 1, 1, 1, true},
                         {0, 1, 0, 1, false}};

// Folded lists are excerpts: a few rows of each kind.
constexpr size_t kFoldedOfAKind = 3;
constexpr size_t kFolded = 10;
constexpr size_t kNameCharacters = 50;
constexpr size_t kPlaceCharacters = 70;

std::string NameInText(absl::string_view name) { return FunctionCode(name, /*in_table=*/false); }
std::string MarkdownInText(absl::string_view name) {
  return MarkdownCode(name, /*in_table=*/false, kNameCharacters);
}
std::string NoteInText(absl::string_view text) {
  return MarkdownCode(FirstClauses(text), /*in_table=*/false, kNoteCharacters);
}
std::string NameInCell(absl::string_view name) { return FunctionCode(name, /*in_table=*/true); }
std::string PlaceInCell(absl::string_view place) {
  return MarkdownCode(place, /*in_table=*/true, kPlaceCharacters);
}

std::string Mark(const FunctionRow& row) {
  switch (RowVerdict(row)) {
    case v1::Finding::REGRESSED:
      return "🔺";
    case v1::Finding::IMPROVED:
      return "🔽";
    case v1::Finding::NEW:
      return "🆕";
    case v1::Finding::VANISHED:
      return "➖";
    default:
      return row.kind == FindingKind::kUnconfirmed ? "❔" : "";
  }
}

// Hints where to look in the source.
std::string PlaceWords(const FunctionRow& row) {
  std::string place = MarkdownCode(PlaceOf(row), /*in_table=*/false, kPlaceCharacters);
  if (!place.empty() && InDiff(row)) place += ", in this diff";
  return place;
}

std::string TargetWords(const FunctionRow& row) {
  std::string words = absl::StrCat("In ", MarkdownInText(row.first->target()));
  if (!row.other_targets.empty()) {
    absl::StrAppend(&words, " and ", row.other_targets.size(),
                    row.other_targets.size() == 1 ? " other test" : " other tests");
  }
  return words + ".";
}

std::string WithItWords(const FunctionRow& row) {
  const size_t with_it = row.follows + row.same_cause;
  if (with_it == 0) return "";
  return absl::StrCat(with_it, with_it == 1 ? " other function" : " other functions",
                      " changed with it.");
}

// An item of the list of causes.
std::string CauseItem(size_t number, const FunctionRow& row, bool with_target, bool in_full,
                      const MarkdownOptions& options) {
  const CauseWords words = WordsOfCause(row, NameInText);
  std::string out =
      absl::StrCat(number, ". ", Mark(row), " ", words.what, ", ", words.share, ".\n   ");
  const std::string place = PlaceWords(row);
  if (!place.empty()) absl::StrAppend(&out, place, ". ");
  std::vector<std::string> sentences = {words.why};
  if (in_full) sentences.push_back(WithItWords(row));
  if (in_full && with_target) sentences.push_back(TargetWords(row));
  if (options.remark) sentences.push_back(options.remark(row));
  for (const std::string& sentence : sentences) {
    if (!sentence.empty()) absl::StrAppend(&out, sentence, " ");
  }
  return absl::StrCat(out, "Finding `", FindingId(MainFinding(row)), "`.\n");
}

// Of the whole report.
absl::string_view Icon(const v1::Report& report, const std::vector<FunctionRow>& rows,
                       const std::vector<TestSummary>& tests) {
  const v1::Compared& compared = report.compared();
  if (!compared.has_base()) return "⚪";
  const auto has = [&tests](TestVerdict verdict) {
    return std::any_of(tests.begin(), tests.end(),
                       [verdict](const TestSummary& test) { return test.verdict == verdict; });
  };
  if (has(TestVerdict::kSlower) || std::any_of(rows.begin(), rows.end(), IsRegression)) return "🔺";
  if (has(TestVerdict::kFaster) || std::any_of(rows.begin(), rows.end(), IsImprovement)) {
    return "🔽";
  }
  const bool is_open = compared.not_compared_size() > 0 ||
                       std::any_of(rows.begin(), rows.end(), [](const FunctionRow& row) {
                         return row.kind == FindingKind::kUnconfirmed;
                       });
  return is_open ? "⚪" : "✅";
}

std::string FirstLine(const v1::Report& report, const std::vector<FunctionRow>& rows,
                      const std::vector<TestSummary>& tests) {
  const v1::Compared& compared = report.compared();
  std::string out =
      absl::StrCat(Icon(report, rows, tests), " **gprofhub: ", Headline(report), ".**");
  if (compared.has_base()) {
    const v1::Compared::Side& base = compared.base();
    const std::string name =
        MarkdownInText(base.commit().empty() ? base.run_id() : base.commit().substr(0, 12));
    if (!name.empty()) absl::StrAppend(&out, " Compared with ", name, ".");
  } else {
    absl::string_view reason = compared.baseline_reason();
    absl::ConsumePrefix(&reason, "none: ");
    if (!reason.empty()) absl::StrAppend(&out, " Reason: ", NoteInText(reason), ".");
  }
  return out + "\n";
}

using Rows = std::vector<const FunctionRow*>;

// Rows by their place in the comment.
struct Parts {
  Rows causes;        // those that cost more, may do so, or are inconclusive groups
  Rows improvements;  // listed by name
  Rows others;        // counted
};

Parts PartsOf(const std::vector<FunctionRow>& rows, const Cut& cut) {
  Parts parts;
  for (const FunctionRow& row : rows) {
    const bool less = IsImprovement(row);
    const bool more =
        (row.kind == FindingKind::kCause && !less) || row.kind == FindingKind::kUnconfirmed;
    if (more && parts.causes.size() < cut.causes) {
      parts.causes.push_back(&row);
    } else if (less && parts.improvements.size() < cut.improvements) {
      parts.improvements.push_back(&row);
    } else {
      parts.others.push_back(&row);
    }
  }
  return parts;
}

// "Improved: `f` (−20%), `g`."; empty without improvements.
std::string ImprovementsLine(const Rows& improvements) {
  std::vector<std::string> names;
  for (const FunctionRow* row : improvements) {
    const std::string& display = row->first->function_display();
    names.push_back(NameInText(display.empty() ? row->first->function() : display));
    if (row->effect_percent.has_value()) {
      absl::StrAppend(&names.back(), " (", HumanEffect(*row->effect_percent), ")");
    }
  }
  return names.empty() ? "" : absl::StrCat("\nImproved: ", absl::StrJoin(names, ", "), ".\n");
}

// Smaller differences of machines are not mentioned.
constexpr double kLeastSpeedChange = 0.005;

// Up to `most` tests whose time is known on both sides and that changed, or have a cause.
std::vector<TestSummary> ChangedTests(const std::vector<TestSummary>& tests, size_t most) {
  std::vector<TestSummary> changed;
  for (const TestSummary& test : tests) {
    const bool is_changed = test.verdict == TestVerdict::kSlower ||
                            test.verdict == TestVerdict::kFaster ||
                            test.verdict == TestVerdict::kUnconfirmed ||
                            test.regressions.count > 0 || test.improvements.count > 0;
    const bool has_times = test.base_seconds.has_value() && test.head_seconds.has_value();
    if (is_changed && has_times && changed.size() < most) changed.push_back(test);
  }
  return changed;
}

// A clause about the largest factor that head times were divided by; empty: none matters.
std::string SpeedWords(const std::vector<TestSummary>& tests) {
  double factor = 1;
  for (const TestSummary& test : tests) {
    if (std::fabs(test.speed_factor - 1) > std::fabs(factor - 1)) factor = test.speed_factor;
  }
  if (std::fabs(factor - 1) < kLeastSpeedChange) return "";
  return absl::StrFormat("head times are divided by the machine's slowdown (%.2f)", factor);
}

std::string TestsTable(const std::vector<TestSummary>& tests) {
  if (tests.empty()) return "";
  std::string out = "\n| Test | Base | Head | Change |\n|---|--:|--:|---|\n";
  for (const TestSummary& test : tests) {
    absl::StrAppend(&out, "| ", MarkdownCode(test.target, /*in_table=*/true, kNameCharacters),
                    " | ", SecondsWords(test.base_seconds), " | ", SecondsWords(test.head_seconds),
                    " | ", VerdictWords(test), " |\n");
  }
  const std::string speed = SpeedWords(tests);
  return speed.empty() ? out : absl::StrCat(out, "\nNote: ", speed, ".\n");
}

std::string FirstScreen(const v1::Report& report, const std::vector<FunctionRow>& rows,
                        const std::vector<TestSummary>& tests, const Parts& parts, const Cut& cut,
                        const MarkdownOptions& options) {
  std::string out =
      absl::StrCat(CommentMarker(options.project), "\n", FirstLine(report, rows, tests));
  const std::vector<std::string> notes = NotesOf(report, NoteInText, cut.notes);
  if (!notes.empty()) out += "\n";
  for (const std::string& note : notes) absl::StrAppend(&out, "- ", note, "\n");
  out += TestsTable(ChangedTests(tests, cut.tests));
  if (!parts.causes.empty()) out += "\n";
  const bool with_target = report.compared().targets_size() > 1;
  for (size_t i = 0; i < parts.causes.size(); ++i) {
    out += CauseItem(i + 1, *parts.causes[i], with_target, cut.in_full, options);
  }
  out += ImprovementsLine(parts.improvements);
  const std::string also = OtherRows(parts.others);
  if (!also.empty()) absl::StrAppend(&out, "\nAlso: ", also, ".\n");
  return options.closing ? out + options.closing(parts.causes) : out;
}

// Title of rows of this kind in a folded list; empty: they are only counted.
std::string KindWords(const FunctionRow& row) {
  switch (row.kind) {
    case FindingKind::kCause:
      return Mark(row);
    case FindingKind::kUnconfirmed:
      return "unconfirmed";
    case FindingKind::kTotalTime:
      return "total time";
    case FindingKind::kMinor:
      return "small";
    case FindingKind::kShifted:
      return "moved";
    default:
      return "";
  }
}

std::string FoldedRow(const FunctionRow& row) {
  const std::string& display = row.first->function_display();
  return absl::StrCat("| ", KindWords(row), " | ",
                      NameInCell(display.empty() ? row.first->function() : display), " | ",
                      DescribeRow(row, NameInCell), " | ", DescribeEffect(row), " | ",
                      PlaceInCell(PlaceOf(row)), InDiff(row) ? ", in this diff |\n" : " |\n");
}

// Some of the other changes, up to `max_bytes`; empty if there are none.
std::string FoldedChanges(const Rows& others, size_t max_bytes) {
  std::string rows;
  constexpr absl::string_view kHead =
      "\n<details><summary>A few of the other changes</summary>\n\n"
      "| | Function | What changed | Effect | Where |\n|---|---|---|---|---|\n";
  constexpr absl::string_view kTail = "\n</details>\n";
  std::vector<std::string> kinds;
  for (const FunctionRow* row : others) {
    const std::string kind = KindWords(*row);
    const auto same = std::count(kinds.begin(), kinds.end(), kind);
    if (kinds.size() == kFolded) break;
    if (kind.empty() || static_cast<size_t>(same) == kFoldedOfAKind) continue;
    const std::string line = FoldedRow(*row);
    if (kHead.size() + rows.size() + line.size() + kTail.size() > max_bytes) break;
    rows += line;
    kinds.push_back(kind);
  }
  return rows.empty() ? "" : absl::StrCat(kHead, rows, kTail);
}

std::string FoldedPictures(const std::string& pictures) {
  if (pictures.empty()) return "";
  return absl::StrCat("\n<details><summary>From run to run</summary>\n\n", pictures,
                      "\n</details>\n");
}

}  // namespace

std::string CommentMarker(absl::string_view project) {
  std::string name(project);
  for (char& c : name) {
    if (!absl::ascii_isalnum(c) && c != '.' && c != '_' && c != '/' && c != '-') c = '_';
  }
  return absl::StrCat("<!-- gprofhub:", name, " -->");
}

std::string RenderMarkdown(const v1::Report& report, const MarkdownOptions& options) {
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  const std::vector<TestSummary> tests = SummarizeTests(report);
  Parts parts;
  std::string out;
  for (const Cut& cut : kCuts) {
    parts = PartsOf(rows, cut);
    out = FirstScreen(report, rows, tests, parts, cut, options);
    if (ScreenLines(out, kScreenColumns) <= kScreenLines) break;
  }
  // The folded list has more about the improvements than their names.
  Rows folded = parts.improvements;
  folded.insert(folded.end(), parts.others.begin(), parts.others.end());
  const std::string pictures =
      options.pictures ? FoldedPictures(options.pictures(parts.causes)) : "";
  if (out.size() + pictures.size() <= options.max_bytes) out += pictures;
  if (options.only_screen) return out;
  const std::string compared = ComparedSection(report);
  if (out.size() + compared.size() > options.max_bytes) return out;
  return absl::StrCat(out, FoldedChanges(folded, options.max_bytes - out.size() - compared.size()),
                      compared);
}

namespace {

// Amount of detail: the first that fits a screen is used.
struct Fit {
  size_t tests;
  size_t causes;
  size_t notes;
};
constexpr Fit kFits[] = {{3, 3, 3}, {1, 3, 1}, {0, 3, 1}, {1, 2, 1}, {0, 1, 1}};
constexpr size_t kTextPlaceCharacters = 110;
constexpr size_t kSideCharacters = 60;
constexpr size_t kTargetCharacters = 100;

std::string Short(absl::string_view text, size_t characters) {
  return base::Shortened(base::Printable(text), characters);
}

std::string Side(const v1::Compared::Side& side) {
  std::string words =
      Short(side.commit().empty() ? side.run_id() : side.commit().substr(0, 12), kSideCharacters);
  if (!side.branch().empty()) {
    absl::StrAppend(&words, " (", Short(side.branch(), kSideCharacters), ")");
  }
  if (!side.run_id().empty() && !side.commit().empty()) {
    absl::StrAppend(&words, ", run ", Short(side.run_id(), kSideCharacters));
  }
  absl::StrAppend(&words, ", ", HumanTime(side.total_seconds(), "seconds"), " of CPU sampled");
  if (side.measured_share() > 0) {
    absl::StrAppend(&words, ", ", HumanShare(side.measured_share()), " with call stacks");
  }
  return words;
}

std::string TargetText(const FunctionRow& row) {
  std::string words = absl::StrCat("in ", base::Printable(row.first->target()));
  if (!row.other_targets.empty()) {
    absl::StrAppend(&words, " and ", row.other_targets.size(), " more");
  }
  return words;
}

std::string Row(const FunctionRow& row, bool with_target, bool color) {
  const v1::Finding::Verdict verdict = RowVerdict(row);
  const bool worse = verdict == v1::Finding::REGRESSED;
  const bool better = verdict == v1::Finding::IMPROVED;
  const std::string name =
      FunctionName(row.first->function_display().empty() ? row.first->function()
                                                         : row.first->function_display());
  std::string out = absl::StrCat("  ", worse ? "+ " : better ? "- " : "  ");
  if (color && (worse || better)) {
    absl::StrAppend(&out, worse ? kRed : kGreen, name, kPlain);
  } else {
    out += name;
  }
  const std::string place = base::Printable(PlaceOf(row));
  if (!place.empty()) absl::StrAppend(&out, "  [", place, InDiff(row) ? ", in the diff]" : "]");
  absl::StrAppend(&out, "  finding ", FindingId(MainFinding(row)));
  absl::StrAppend(&out, "\n      ", DescribeRow(row, FunctionName), "\n      ", DescribeEffect(row),
                  "\n");
  return with_target ? absl::StrCat(out, "      ", TargetText(row), "\n") : out;
}

std::string TitleOf(FindingKind kind) {
  switch (kind) {
    case FindingKind::kCause:
      return "Changes";
    case FindingKind::kUnconfirmed:
      return "Unconfirmed: more runs would decide";
    case FindingKind::kTotalTime:
      return "Total times";
    case FindingKind::kFollower:
      return "Side effects of the changes above";
    case FindingKind::kMinor:
      return "Small changes";
    case FindingKind::kShifted:
      return "Moved, same cost";
    case FindingKind::kFolded:
      return "Part of the changes above";
    case FindingKind::kCannotTell:
      return "Inconclusive: too few samples";
    case FindingKind::kEquivalent:
      return "Times shown to be the same";
    case FindingKind::kChance:
      return "Counts that differ by chance";
  }
  return "";
}

std::string NoteText(absl::string_view text) { return Short(FirstClauses(text), kNoteCharacters); }

std::string Head(const v1::Report& report, const TextOptions& options) {
  const v1::Compared& compared = report.compared();
  const std::string headline = Headline(report);
  std::string out =
      options.color ? absl::StrCat(kBold, headline, kPlain, "\n") : absl::StrCat(headline, "\n");
  if (compared.has_base()) absl::StrAppend(&out, "base: ", Side(compared.base()), "\n");
  absl::StrAppend(&out, "head: ", Side(compared.head()), "\n");
  if (!compared.baseline_reason().empty()) {
    absl::StrAppend(&out, "baseline: ", NoteText(compared.baseline_reason()), "\n");
  }
  if (options.all && compared.has_base()) {
    out +=
        "calls: of functions built with -pg; of others, as in libc and libstdc++, only with "
        "GPROFHUB_LIBRARY_CALLS=1\n";
  }
  return out;
}

// A cause as text of a few lines.
std::string CauseText(const FunctionRow& row, bool with_target, bool color) {
  const CauseWords words = WordsOfCause(row, FunctionName);
  const bool better = IsImprovement(row);
  const bool open =
      row.kind == FindingKind::kUnconfirmed || DirectionOf(row) == Direction::kInconclusive;
  std::string out = absl::StrCat("  ", open ? "? " : better ? "- " : "+ ");
  if (color && !open) {
    absl::StrAppend(&out, better ? kGreen : kRed, words.what, kPlain);
  } else {
    out += words.what;
  }
  absl::StrAppend(&out, "\n      ", words.share);
  const std::string place = base::Shortened(base::Printable(PlaceOf(row)), kTextPlaceCharacters);
  if (!place.empty()) absl::StrAppend(&out, "  [", place, InDiff(row) ? ", in the diff]" : "]");
  absl::StrAppend(&out, "  finding ", FindingId(MainFinding(row)), "\n");
  const size_t with_it = row.follows + row.same_cause;
  std::string why = words.why;
  if (with_it > 0) {
    absl::StrAppend(&why, why.empty() ? "" : " ", with_it,
                    with_it == 1 ? " other function" : " other functions", " changed with it.");
  }
  if (!why.empty()) absl::StrAppend(&out, "      ", why, "\n");
  return with_target ? absl::StrCat(out, "      ",
                                    base::Shortened(TargetText(row), kTargetCharacters), "\n")
                     : out;
}

std::string Brief(const v1::Report& report, const std::vector<FunctionRow>& rows, const Fit& fit,
                  bool color) {
  const bool with_target = report.compared().targets_size() > 1;
  std::string out;
  const std::vector<TestSummary> tests = ChangedTests(SummarizeTests(report), fit.tests);
  for (const TestSummary& test : tests) {
    absl::StrAppend(&out, Short(test.target, kSideCharacters), ": ",
                    SecondsWords(test.base_seconds), " → ", SecondsWords(test.head_seconds), ", ",
                    VerdictWords(test), "\n");
  }
  if (const std::string speed = SpeedWords(tests); !speed.empty()) {
    absl::StrAppend(&out, "note: ", speed, "\n");
  }
  for (const std::string& note : NotesOf(report, NoteText, fit.notes))
    absl::StrAppend(&out, note, "\n");
  std::vector<const FunctionRow*> others;
  size_t shown = 0;
  for (const FunctionRow& row : rows) {
    const bool leads = row.kind == FindingKind::kCause || row.kind == FindingKind::kUnconfirmed;
    if (!leads || shown == fit.causes) {
      others.push_back(&row);
      continue;
    }
    if (shown++ == 0) out += "\n";
    out += CauseText(row, with_target, color);
  }
  const std::string also = OtherRows(others);
  return also.empty() ? out : absl::StrCat(out, "\nand ", also, " (--all lists them)\n");
}

std::string All(const v1::Report& report, const std::vector<FunctionRow>& rows, bool color) {
  const bool with_target = report.compared().targets_size() > 1;
  std::string out;
  for (const auto& [reason, targets] : NotComparedByReason(report.compared())) {
    absl::StrAppend(&out, "not compared: ", base::Printable(absl::StrJoin(targets, ", ")), ": ",
                    base::Printable(reason), "\n");
  }
  for (size_t i = 0; i < rows.size();) {
    const FindingKind kind = rows[i].kind;
    size_t end = i;
    while (end < rows.size() && rows[end].kind == kind) ++end;
    absl::StrAppend(&out, "\n", TitleOf(kind), " (", end - i, "):\n");
    if (kind == FindingKind::kFolded) {
      // Folded findings are only counted.
      absl::StrAppend(&out, "  ", end - i, " (--format=json lists all)\n");
      i = end;
    }
    for (; i < end; ++i) out += Row(rows[i], with_target, color);
  }
  if (report.warnings_size() > 0) out += "\n";
  for (const std::string& warning : report.warnings()) {
    absl::StrAppend(&out, "note: ", base::Printable(warning), "\n");
  }
  return out;
}

}  // namespace

std::string RenderText(const v1::Report& report, const TextOptions& options) {
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  const std::string head = Head(report, options);
  if (options.all) return absl::StrCat(head, All(report, rows, options.color));
  const std::string plain_head = Head(report, {});
  const Fit* fit = std::begin(kFits);
  while (fit + 1 != std::end(kFits) &&
         TerminalLines(absl::StrCat(plain_head, Brief(report, rows, *fit, /*color=*/false)),
                       kScreenColumns) > kScreenLines) {
    ++fit;
  }
  return absl::StrCat(head, Brief(report, rows, *fit, options.color));
}

}  // namespace gprofhub::reporter
