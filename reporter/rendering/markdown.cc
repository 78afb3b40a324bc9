// Layout of the comment: the essentials must fit the first screen, which is small. So there are
// several variants (kCuts), and the first that fits is used: three causes, or fewer, or one in its
// shortest form. Omitted rows are counted. Long names cannot break this, because each part of the
// screen is bounded, and the last variant fits with all parts at their bounds.
#include "reporter/rendering/markdown.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "reporter/findings/finding_id.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/compared_section.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/notes.h"
#include "reporter/rendering/row_words.h"
#include "reporter/text/function_name.h"
#include "reporter/text/markdown_code.h"
#include "reporter/text/screen_lines.h"

namespace gprofhub::reporter {
namespace {

// Amount of detail on the first screen, in descending order.
struct Cut {
  size_t causes;
  size_t notes;
  bool in_full;  // causes with their target and side effects
};
constexpr Cut kCuts[] = {{3, 2, true}, {2, 2, true}, {1, 2, true}, {1, 1, true}, {1, 1, false}};

// Folded lists are excerpts: a few rows of each kind.
constexpr size_t kFoldedOfAKind = 3;
constexpr size_t kFolded = 10;
constexpr size_t kNameCharacters = 50;
constexpr size_t kPlaceCharacters = 70;
constexpr size_t kNoteCharacters = 90;

std::string NameInText(absl::string_view name) { return FunctionCode(name, /*in_table=*/false); }
std::string InText(absl::string_view name) {
  return MarkdownCode(name, /*in_table=*/false, kNameCharacters);
}
std::string NoteInText(absl::string_view text) {
  return MarkdownCode(text, /*in_table=*/false, kNoteCharacters);
}
std::string NameInCell(absl::string_view name) { return FunctionCode(name, /*in_table=*/true); }
std::string PlaceInCell(absl::string_view place) {
  return MarkdownCode(place, /*in_table=*/true, kPlaceCharacters);
}

bool IsLess(const FunctionRow& row) {
  const v1::Finding::Verdict verdict = RowVerdict(row);
  return verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
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
      return "";
  }
}

// Hints where to look in the source.
std::string PlaceWords(const FunctionRow& row) {
  std::string place = MarkdownCode(PlaceOf(row), /*in_table=*/false, kPlaceCharacters);
  if (!place.empty() && InDiff(row)) place += ", in this diff";
  return place;
}

std::string TargetWords(const FunctionRow& row) {
  std::string words = absl::StrCat("In ", InText(row.first->target()));
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

using Rows = std::vector<const FunctionRow*>;

// The first changes that cost more.
Rows Causes(const std::vector<FunctionRow>& rows, size_t most) {
  Rows causes;
  for (const FunctionRow& row : rows) {
    const bool costs = row.kind == FindingKind::kCause && !IsLess(row);
    if (costs && causes.size() < most) causes.push_back(&row);
  }
  return causes;
}

// The remaining rows.
Rows Others(const std::vector<FunctionRow>& rows, const Rows& causes) {
  Rows others;
  for (const FunctionRow& row : rows) {
    if (std::find(causes.begin(), causes.end(), &row) == causes.end()) others.push_back(&row);
  }
  return others;
}

std::string FirstScreen(const v1::Report& report, const Rows& causes, const Rows& others,
                        const Cut& cut, const MarkdownOptions& options) {
  std::string out = absl::StrCat(CommentMarker(options.project), "\n", FirstLine(report));
  const std::vector<std::string> notes = NotesOf(report, NoteInText, cut.notes);
  if (!notes.empty()) out += "\n";
  for (const std::string& note : notes) absl::StrAppend(&out, "- ", note, "\n");
  if (!causes.empty()) out += "\n";
  const bool with_target = report.compared().targets_size() > 1;
  for (size_t i = 0; i < causes.size(); ++i) {
    out += CauseItem(i + 1, *causes[i], with_target, cut.in_full, options);
  }
  const std::string also = OtherRows(others);
  if (!also.empty()) absl::StrAppend(&out, "\nAlso: ", also, ".\n");
  return options.closing ? out + options.closing(causes) : out;
}

// Title of rows of this kind in a folded list; empty: they are only counted.
std::string KindWords(const FunctionRow& row) {
  switch (row.kind) {
    case FindingKind::kCause:
      return Mark(row);
    case FindingKind::kTotalTime:
      return "with all it calls";
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
  Rows causes, others;
  std::string out;
  for (const Cut& cut : kCuts) {
    causes = Causes(rows, cut.causes);
    others = Others(rows, causes);
    out = FirstScreen(report, causes, others, cut, options);
    if (ScreenLines(out, kScreenColumns) <= kScreenLines) break;
  }
  const std::string pictures = options.pictures ? FoldedPictures(options.pictures(causes)) : "";
  if (out.size() + pictures.size() <= options.max_bytes) out += pictures;
  if (options.only_screen) return out;
  const std::string compared = ComparedSection(report);
  if (out.size() + compared.size() > options.max_bytes) return out;
  return absl::StrCat(out, FoldedChanges(others, options.max_bytes - out.size() - compared.size()),
                      compared);
}

}  // namespace gprofhub::reporter
