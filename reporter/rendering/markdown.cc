#include "reporter/rendering/markdown.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "reporter/findings/coverage.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/row_words.h"
#include "reporter/text/function_name.h"
#include "reporter/text/markdown_code.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kTopRows = 5;
// A folded list is for a look, not for a search: the whole is in the JSON.
constexpr size_t kSectionRows = 25;
constexpr int kListedNames = 20;

std::string InCell(absl::string_view name) { return MarkdownCode(name, /*in_table=*/true); }
std::string NameInCell(absl::string_view name) { return FunctionCode(name, /*in_table=*/true); }
std::string InText(absl::string_view name) { return MarkdownCode(name, /*in_table=*/false); }

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
      return "";
  }
}

std::string TableHead() {
  return "| | Function | What changed | Effect | Where |\n|---|---|---|---|---|\n";
}

std::string TableRow(const FunctionRow& row, bool with_target) {
  const std::string& display = row.first->function_display();
  std::string what = DescribeRow(row, NameInCell);
  if (with_target) absl::StrAppend(&what, "; in ", InCell(row.first->target()));
  if (!row.other_targets.empty()) {
    absl::StrAppend(&what, " and ", row.other_targets.size(),
                    row.other_targets.size() == 1 ? " other test" : " other tests");
  }
  return absl::StrCat("| ", Mark(row), " | ",
                      NameInCell(display.empty() ? row.first->function() : display), " | ", what,
                      " | ", DescribeEffect(row), " | ", InCell(PlaceOf(row)),
                      InDiff(row) ? ", in this diff |\n" : " |\n");
}

struct Section {
  std::string title;
  std::vector<const FunctionRow*> rows;
};

// Appends a folded section as far as it fits into `max_bytes`.
void AppendSection(const Section& section, bool with_target, size_t max_bytes, std::string& out) {
  if (section.rows.empty()) return;
  const std::string head = absl::StrCat("\n<details><summary>", section.title, " (",
                                        section.rows.size(), ")</summary>\n\n", TableHead());
  const std::string tail = "\n</details>\n";
  const size_t note_bytes = 60;
  if (out.size() + head.size() + tail.size() + note_bytes > max_bytes) return;
  out += head;
  size_t shown = 0;
  for (const FunctionRow* row : section.rows) {
    const std::string line = TableRow(*row, with_target);
    if (shown == kSectionRows) break;
    if (out.size() + line.size() + tail.size() + note_bytes > max_bytes) break;
    out += line;
    ++shown;
  }
  if (shown < section.rows.size()) {
    absl::StrAppend(&out, "\n… and ", section.rows.size() - shown, " more, less important\n");
  }
  out += tail;
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
std::string Counted(uint64_t count, absl::string_view what) {
  return absl::StrCat(HumanCount(static_cast<double>(count)), " ", what, count == 1 ? "" : "s");
}

std::string SideWords(const v1::Compared::Side& side) {
  std::string words = InText(side.commit().substr(0, 12));
  if (words.empty()) words = InText(side.run_id());
  if (!side.branch().empty()) absl::StrAppend(&words, " on ", InText(side.branch()));
  if (!side.run_id().empty() && !side.commit().empty()) {
    absl::StrAppend(&words, ", run ", InText(side.run_id()));
  }
  if (side.runs() > 1) absl::StrAppend(&words, ", ", Counted(side.runs(), "run"), " together");
  absl::StrAppend(&words, ", ", Counted(side.executions(), "test execution"), ", ",
                  HumanTime(side.total_seconds(), "seconds"), " of CPU sampled");
  return words;
}

std::string ComparedSection(const v1::Report& report) {
  const v1::Compared& compared = report.compared();
  std::string out = "\n<details><summary>What was compared with what</summary>\n\n";
  absl::StrAppend(&out, "- this: ", SideWords(compared.head()), "\n");
  if (compared.has_base()) {
    absl::StrAppend(&out, "- base: ", SideWords(compared.base()), "\n");
  }
  if (!compared.baseline_reason().empty()) {
    absl::StrAppend(&out, "- choice of the base: ", InText(compared.baseline_reason()), "\n");
  }
  if (!compared.configuration().empty()) {
    absl::StrAppend(&out, "- configuration: ", InText(compared.configuration()), "\n");
  }
  if (compared.has_base()) {
    absl::StrAppend(&out, "- ", Counted(compared.functions(), "function"), " and ",
                    Counted(compared.arcs(), "caller-callee pair"), " in ",
                    Counted(compared.targets_size(), "test"));
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
    absl::StrAppend(&out, "- machine speed: everything took ",
                    absl::StrFormat("%.2f", compared.machine_speed_factor()),
                    " times as long here; times are compared with that taken out\n");
  }
  if (compared.unchanged_targets_size() > 0) {
    absl::StrAppend(&out, "- same binary as at the base, or its own result: ",
                    NameList(compared.unchanged_targets()), "\n");
  }
  if (compared.cached_targets_size() > 0) {
    absl::StrAppend(
        &out, "- from Bazel's cache, not run again: ", NameList(compared.cached_targets()), "\n");
  }
  for (const auto& [reason, targets] : NotComparedByReason(compared)) {
    absl::StrAppend(&out, "- not compared: ", NameList(targets), ": ",
                    MarkdownCode(reason, false, 300), "\n");
  }
  for (int i = 0; i < report.warnings_size() && i < kListedNames; ++i) {
    absl::StrAppend(&out, "- note: ", MarkdownCode(report.warnings(i), false, 300), "\n");
  }
  if (compared.has_base()) {
    out +=
        "\nCalls are counted, not sampled: those of functions that were built with -pg, which is "
        "the repository's own code. Calls of functions in libraries that were not, such as libc "
        "and libstdc++, are not counted. A count is called \"exact\" where it was seen to "
        "repeat. "
        "\"One run each\" says that one run of each side shows it: most such counts repeat, and "
        "more "
        "runs would show it. Times are sampled; their intervals hold the true value 95 times in "
        "100. "
        "The share of the test's CPU is estimated from the samples.\n";
  }
  return out + "\n</details>\n";
}

// The rows in the order of the comment: those of the table, then the folded sections.
struct Sections {
  std::vector<const FunctionRow*> top;
  Section further{"Further changes that cost CPU", {}};
  Section improved{"What costs less now", {}};
  Section totals{"Times with everything called", {}};
  Section followers{"Follows from the changes above", {}};
  Section minor{"Small changes", {}};
  Section shifted{"Cost that only moved", {}};
  Section folded{"Part of the changes above", {}};
  Section unclear{"Too few samples to tell", {}};
  Section equivalent{"Times shown to be the same", {}};

  std::vector<const FunctionRow*>& RowsFor(const FunctionRow& row) {
    switch (row.kind) {
      case FindingKind::kCause:
        if (RowVerdict(row) == v1::Finding::IMPROVED || RowVerdict(row) == v1::Finding::VANISHED) {
          return improved.rows;
        }
        return top.size() < kTopRows ? top : further.rows;
      case FindingKind::kMinor:
        return minor.rows;
      case FindingKind::kTotalTime:
        return totals.rows;
      case FindingKind::kFollower:
        return followers.rows;
      case FindingKind::kShifted:
        return shifted.rows;
      case FindingKind::kFolded:
        return folded.rows;
      case FindingKind::kCannotTell:
        return unclear.rows;
      case FindingKind::kEquivalent:
        return equivalent.rows;
    }
    return minor.rows;
  }

  std::vector<const Section*> Folded() const {
    return {&further, &improved, &totals,  &followers, &minor,
            &shifted, &folded,   &unclear, &equivalent};
  }
};

std::string FirstLine(const v1::Report& report) {
  const v1::Compared& compared = report.compared();
  std::string out = absl::StrCat("**gprofhub: ", Headline(report), ".**");
  if (compared.has_base()) {
    const v1::Compared::Side& base = compared.base();
    const std::string name =
        InText(base.commit().empty() ? base.run_id() : base.commit().substr(0, 12));
    if (!name.empty()) absl::StrAppend(&out, " Compared with ", name, ".");
  } else {
    absl::StrAppend(&out, " Baseline ", InText(compared.baseline_reason()), ".");
  }
  return out + "\n";
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
  const bool with_target = report.compared().targets_size() > 1;
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  Sections sections;
  for (const FunctionRow& row : rows) sections.RowsFor(row).push_back(&row);
  std::string out = absl::StrCat(CommentMarker(options.project), "\n", FirstLine(report));
  if (!sections.top.empty()) {
    absl::StrAppend(&out, "\n", TableHead());
    for (const FunctionRow* row : sections.top) out += TableRow(*row, with_target);
  }
  const std::string compared = ComparedSection(report);
  const size_t room = options.max_bytes - std::min(options.max_bytes, compared.size());
  for (const Section* section : sections.Folded()) {
    AppendSection(*section, with_target, room, out);
  }
  return out + compared;
}

}  // namespace gprofhub::reporter
