#include "reporter/rendering/text.h"

#include <iterator>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "reporter/findings/coverage.h"
#include "reporter/findings/finding_id.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/notes.h"
#include "reporter/rendering/row_words.h"
#include "reporter/text/function_name.h"
#include "reporter/text/numbers.h"
#include "reporter/text/screen_lines.h"

namespace gprofhub::reporter {
namespace {

// Amount of detail: the first that fits a screen is used.
struct Fit {
  size_t causes;
  size_t notes;
};
constexpr Fit kFits[] = {{3, 3}, {3, 1}, {2, 3}, {2, 1}, {1, 1}};
constexpr size_t kNoteCharacters = 110;
constexpr size_t kSideCharacters = 60;
constexpr size_t kTargetCharacters = 100;

constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kPlain = "\x1b[0m";

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
    case FindingKind::kTotalTime:
      return "Times with everything called";
    case FindingKind::kFollower:
      return "Follows from the changes above";
    case FindingKind::kMinor:
      return "Small changes";
    case FindingKind::kShifted:
      return "Cost that only moved";
    case FindingKind::kFolded:
      return "Part of the changes above";
    case FindingKind::kCannotTell:
      return "Too few samples to tell";
    case FindingKind::kEquivalent:
      return "Times shown to be the same";
    case FindingKind::kChance:
      return "Differs, and nothing that changed in the code is the reason";
  }
  return "";
}

std::string NoteText(absl::string_view text) { return Short(text, kNoteCharacters); }

std::string Head(const v1::Report& report, const TextOptions& options) {
  const v1::Compared& compared = report.compared();
  const std::string headline = Headline(report);
  std::string out =
      options.color ? absl::StrCat(kBold, headline, kPlain, "\n") : absl::StrCat(headline, "\n");
  if (compared.has_base()) absl::StrAppend(&out, "base: ", Side(compared.base()), "\n");
  absl::StrAppend(&out, "head: ", Side(compared.head()), "\n");
  if (!compared.baseline_reason().empty()) {
    absl::StrAppend(&out, "baseline: ", Short(compared.baseline_reason(), 2 * kNoteCharacters),
                    "\n");
  }
  if (compared.has_base()) {
    out +=
        "calls: of functions built with -pg; of others, as in libc and libstdc++, only with "
        "GPROFHUB_LIBRARY_CALLS=1\n";
  }
  return out;
}

// A cause as text of a few lines.
std::string CauseText(const FunctionRow& row, bool with_target, bool color) {
  const CauseWords words = WordsOfCause(row, FunctionName);
  const v1::Finding::Verdict verdict = RowVerdict(row);
  const bool better = verdict == v1::Finding::IMPROVED || verdict == v1::Finding::VANISHED;
  std::string out = absl::StrCat("  ", better ? "- " : "+ ");
  if (color) {
    absl::StrAppend(&out, better ? kGreen : kRed, words.what, kPlain);
  } else {
    out += words.what;
  }
  absl::StrAppend(&out, "\n      ", words.share);
  const std::string place = base::Shortened(base::Printable(PlaceOf(row)), kNoteCharacters);
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
  for (const std::string& note : NotesOf(report, NoteText, fit.notes))
    absl::StrAppend(&out, note, "\n");
  std::vector<const FunctionRow*> others;
  size_t shown = 0;
  for (const FunctionRow& row : rows) {
    if (row.kind != FindingKind::kCause || shown == fit.causes) {
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
