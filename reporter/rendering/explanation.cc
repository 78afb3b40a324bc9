// Merges two paths into one table: a function on both paths is one line. Pairs are the longest
// common subsequence of the two paths, so that a function on one path only does not separate the
// others.
#include "reporter/rendering/explanation.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/printable.h"
#include "profile/names/demangle.h"
#include "reporter/findings/finding_id.h"
#include "reporter/rendering/cause_words.h"
#include "reporter/rendering/function_rows.h"
#include "reporter/rendering/group_words.h"
#include "reporter/rendering/json.h"
#include "reporter/rendering/row_words.h"
#include "reporter/text/function_name.h"
#include "reporter/text/numbers.h"

namespace gprofhub::reporter {
namespace {

using Json = nlohmann::ordered_json;
using Step = v1::Explanation::Step;

constexpr size_t kNameColumn = 52;
constexpr size_t kSideColumn = 33;
constexpr size_t kCallsColumn = 15;
constexpr size_t kRateColumn = 9;
constexpr const char* kBold = "\x1b[1m";
constexpr const char* kRed = "\x1b[31m";
constexpr const char* kGreen = "\x1b[32m";
constexpr const char* kPlain = "\x1b[0m";

// One line of the table; null for a path without the function.
using Pair = std::pair<const Step*, const Step*>;

std::vector<Pair> Aligned(const v1::Explanation& explanation) {
  const auto& base = explanation.base().path();
  const auto& head = explanation.head().path();
  const int b = base.size(), h = head.size();
  // common[i][j]: length of the common subsequence from i and j on.
  std::vector<std::vector<int>> common(b + 1, std::vector<int>(h + 1, 0));
  for (int i = b; i-- > 0;) {
    for (int j = h; j-- > 0;) {
      common[i][j] = base[i].function() == head[j].function()
                         ? common[i + 1][j + 1] + 1
                         : std::max(common[i + 1][j], common[i][j + 1]);
    }
  }
  std::vector<Pair> pairs;
  int i = 0, j = 0;
  while (i < b || j < h) {
    if (i < b && j < h && base[i].function() == head[j].function()) {
      pairs.emplace_back(&base[i++], &head[j++]);
    } else if (j == h || (i < b && common[i + 1][j] >= common[i][j + 1])) {
      pairs.emplace_back(&base[i++], nullptr);
    } else {
      pairs.emplace_back(nullptr, &head[j++]);
    }
  }
  return pairs;
}

size_t Columns(const std::string& text) {
  return static_cast<size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}

std::string Padded(std::string text, size_t columns) {
  const size_t has = Columns(text);
  if (has < columns) text.append(columns - has, ' ');
  return text;
}

std::string SideTitle(const char* which, const v1::Explanation::Side& side) {
  std::string name =
      base::Printable(side.commit().empty() ? side.run_id() : side.commit().substr(0, 12));
  if (!side.commit().empty()) absl::StrAppend(&name, ", run ", base::Printable(side.run_id()));
  return base::Shortened(absl::StrCat(which, " ", name), kSideColumn - 2);
}

bool IsFirst(const v1::Explanation::Side& side, const Step* step) {
  return side.path_size() > 0 && step == &side.path(0);
}

std::string PerCall(const Step& step, bool is_first) {
  if (is_first) return "";
  const double rate = step.per_call();
  return absl::StrCat(rate >= 1000 ? HumanCount(std::round(rate)) : absl::StrFormat("%.3g", rate),
                      "×");
}

std::string RightAligned(const std::string& text, size_t columns) {
  const size_t has = Columns(text);
  return absl::StrCat(std::string(columns - std::min(columns, has), ' '), text);
}

// "        239,477     239×    39%".
std::string Cell(const Step* step, bool is_first) {
  if (step == nullptr) return Padded(RightAligned("-", kCallsColumn), kSideColumn);
  std::string calls = HumanCount(step->arc_calls());
  if (Columns(calls) > kCallsColumn) calls = absl::StrFormat("%.4g", step->arc_calls());
  return Padded(absl::StrCat(RightAligned(calls, kCallsColumn),
                             RightAligned(PerCall(*step, is_first), kRateColumn),
                             absl::StrFormat("%7s", HumanShare(step->share()))),
                kSideColumn);
}

// The function, its call site, and whether it has other callers.
std::string NameCell(const Pair& pair, bool changed) {
  const Step& step = pair.second != nullptr ? *pair.second : *pair.first;
  std::string out =
      absl::StrCat(changed ? "> " : "  ",
                   base::Shortened(FunctionName(step.function_display()), kNameColumn - 2));
  const size_t has = Columns(out);
  if (!step.site().file().empty() && has + 10 < kNameColumn) {
    const std::string place = base::Printable(
        step.site().line() == 0 ? step.site().file()
                                : absl::StrCat(step.site().file(), ":", step.site().line()));
    absl::StrAppend(&out, "  ", base::Shortened(place, kNameColumn - has - 2));
  }
  return Padded(std::move(out), kNameColumn + 2);
}

// The change and its reason, as in a report.
std::string Words(const v1::Explanation& explanation) {
  const v1::Finding& finding = explanation.finding();
  const FunctionRow row = RowOfFinding(finding);
  std::string out;
  if (row.kind == FindingKind::kCause || row.kind == FindingKind::kMinor) {
    const CauseWords words = WordsOfCause(row, FunctionName);
    out = absl::StrCat(words.what, "\n", words.share, ". ", words.why);
  } else {
    const std::string& display = finding.function_display();
    out = absl::StrCat(FunctionName(display.empty() ? finding.function() : display), ": ",
                       DescribeRow(row, FunctionName), "\n", DescribeEffect(row));
  }
  const std::string place = base::Printable(PlaceOf(row));
  if (!place.empty())
    absl::StrAppend(&out, "\nat ", place, finding.in_diff() ? ", in the diff" : "");
  return absl::StrCat(out, "\nin ", base::Printable(finding.target()), "\n");
}

Json SideJson(const v1::Explanation::Side& side) {
  Json path = Json::array();
  for (const Step& step : side.path()) {
    path.push_back({{"function", step.function()},
                    {"function_display", step.function_display()},
                    {"site", {{"file", step.site().file()}, {"line", step.site().line()}}},
                    {"arc_calls", step.arc_calls()},
                    {"calls", step.calls()},
                    {"per_call", path.empty() ? Json(nullptr) : Json(step.per_call())},
                    {"share", step.share()},
                    {"other_callers", step.other_callers()},
                    {"changed", step.changed()}});
  }
  return {{"run_id", side.run_id()}, {"commit", side.commit()}, {"path", path}};
}

std::string Name(const std::string& linkage_name) {
  return base::Printable(profile::Demangle(linkage_name));
}

// A group finding has members in place of a path.
std::string GroupMembers(const v1::Finding& group) {
  std::string out;
  if (group.has_toolchain()) {
    absl::StrAppend(&out, "  before: ", base::Printable(group.toolchain().before()),
                    "\n  after:  ", base::Printable(group.toolchain().after()), "\n");
  }
  for (const v1::Rewrite::Pair& pair : group.rewrite().pairs()) {
    absl::StrAppend(&out, "  ", Name(pair.before()), " → ", Name(pair.after()), "\n");
  }
  for (const std::string& gone : group.rewrite().gone()) {
    absl::StrAppend(&out, "  ", Name(gone), " is gone\n");
  }
  for (const std::string& came : group.rewrite().came()) {
    absl::StrAppend(&out, "  ", Name(came), " is new\n");
  }
  return out;
}

}  // namespace

std::string RenderExplanationText(const v1::Explanation& explanation, bool color) {
  std::string out = absl::StrCat(color ? kBold : "", "finding ", FindingId(explanation.finding()),
                                 color ? kPlain : "", "\n", Words(explanation), "\n");
  if (IsGroup(explanation.finding())) return out + GroupMembers(explanation.finding());
  const std::vector<Pair> pairs = Aligned(explanation);
  if (pairs.empty()) {
    return out + "neither run has a call path to it: the target was measured by another run\n";
  }
  absl::StrAppend(&out, Padded("the path of most calls", kNameColumn + 2), "  ",
                  Padded(SideTitle("base", explanation.base()), kSideColumn),
                  SideTitle("head", explanation.head()), "\n");
  const std::string titles =
      absl::StrCat(RightAligned("calls", kCallsColumn), RightAligned("per call", kRateColumn),
                   absl::StrFormat("%7s", "CPU"));
  absl::StrAppend(&out, Padded("  function  called at", kNameColumn + 2),
                  Padded(titles, kSideColumn), titles, "\n");
  const bool worse = explanation.finding().after() >= explanation.finding().before();
  for (const Pair& pair : pairs) {
    const bool changed = (pair.first != nullptr && pair.first->changed()) ||
                         (pair.second != nullptr && pair.second->changed());
    std::string line = absl::StrCat(NameCell(pair, changed),
                                    Cell(pair.first, IsFirst(explanation.base(), pair.first)),
                                    Cell(pair.second, IsFirst(explanation.head(), pair.second)));
    line.erase(line.find_last_not_of(' ') + 1);
    const bool marked = changed && color;
    absl::StrAppend(&out, marked ? (worse ? kRed : kGreen) : "", line, marked ? kPlain : "", "\n");
  }
  out +=
      "> what changed. calls: by the function above, in one execution of the test. -: not on the "
      "path\n";
  return out;
}

std::string RenderExplanationJson(const v1::Explanation& explanation) {
  const Json json = {{"schema", 1},
                     {"finding", FindingJson(explanation.finding())},
                     {"base", SideJson(explanation.base())},
                     {"head", SideJson(explanation.head())}};
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::reporter
