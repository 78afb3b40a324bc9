#include "reporter/rendering/text.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "reporter/findings/coverage.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/headline.h"
#include "reporter/rendering/row_words.h"
#include "reporter/text/function_name.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kPlain = "\x1b[0m";

std::string Side(const v1::Compared::Side& side) {
  std::string words =
      base::Printable(side.commit().empty() ? side.run_id() : side.commit().substr(0, 12));
  if (!side.branch().empty()) absl::StrAppend(&words, " (", base::Printable(side.branch()), ")");
  if (!side.run_id().empty() && !side.commit().empty()) {
    absl::StrAppend(&words, ", run ", base::Printable(side.run_id()));
  }
  absl::StrAppend(&words, ", ", HumanTime(side.total_seconds(), "seconds"), " of CPU sampled");
  if (side.measured_share() > 0) {
    absl::StrAppend(&words, ", ", HumanShare(side.measured_share()), " with call stacks");
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
  absl::StrAppend(&out, "\n      ", DescribeRow(row, FunctionName), "\n      ", DescribeEffect(row),
                  "\n");
  if (with_target) {
    absl::StrAppend(&out, "      in ", base::Printable(row.first->target()));
    if (!row.other_targets.empty()) {
      absl::StrAppend(&out, " and ", row.other_targets.size(), " more");
    }
    out += "\n";
  }
  return out;
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
  }
  return "";
}

}  // namespace

std::string RenderText(const v1::Report& report, const TextOptions& options) {
  const v1::Compared& compared = report.compared();
  const bool with_target = compared.targets_size() > 1;
  const std::string headline = Headline(report);
  std::string out =
      options.color ? absl::StrCat(kBold, headline, kPlain, "\n") : absl::StrCat(headline, "\n");
  if (compared.has_base()) absl::StrAppend(&out, "base: ", Side(compared.base()), "\n");
  absl::StrAppend(&out, "head: ", Side(compared.head()), "\n");
  if (!compared.baseline_reason().empty()) {
    absl::StrAppend(&out, "baseline: ", base::Printable(compared.baseline_reason()), "\n");
  }
  if (compared.has_base()) {
    out +=
        "calls: of functions built with -pg; calls of others, as in libc and libstdc++, are not "
        "counted\n";
  }
  for (const auto& [reason, targets] : NotComparedByReason(compared)) {
    absl::StrAppend(&out, "not compared: ", base::Printable(absl::StrJoin(targets, ", ")), ": ",
                    base::Printable(reason), "\n");
  }
  const std::vector<FunctionRow> rows = GroupByFunction(report);
  for (size_t i = 0; i < rows.size();) {
    const FindingKind kind = rows[i].kind;
    size_t end = i;
    while (end < rows.size() && rows[end].kind == kind) ++end;
    absl::StrAppend(&out, "\n", TitleOf(kind), " (", end - i, "):\n");
    size_t shown = 0;
    // Of what is folded it is enough to know how much it is.
    const size_t most = kind == FindingKind::kFolded ? 0 : options.section_rows;
    for (; i < end; ++i, ++shown) {
      if (shown < most) out += Row(rows[i], with_target, options.color);
    }
    if (shown > most) {
      absl::StrAppend(&out, most == 0 ? "  " : "  … and ", shown - most, most == 0 ? "" : " more",
                      " (--format=json lists all)\n");
    }
  }
  if (report.warnings_size() > 0) out += "\n";
  for (const std::string& warning : report.warnings()) {
    absl::StrAppend(&out, "note: ", base::Printable(warning), "\n");
  }
  return out;
}

}  // namespace gprofhub::reporter
