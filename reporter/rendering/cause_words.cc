#include "reporter/rendering/cause_words.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "base/text.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

namespace {

std::string CalleeName(const v1::Finding& finding, const Quote& quote) {
  const std::string& display = finding.function_display();
  return quote(display.empty() ? finding.function() : display);
}

std::string CallerName(const v1::Finding& arc, const Quote& quote) {
  if (arc.caller() == profile::kSpontaneousName) return "code outside the profile";
  return quote(arc.caller_display().empty() ? arc.caller() : arc.caller_display());
}

// "exact" from " (exact)".
std::string Certainty(const v1::Finding& calls) {
  absl::string_view words = CertaintyWords(calls);
  absl::ConsumePrefix(&words, " (");
  absl::ConsumeSuffix(&words, ")");
  return std::string(words.empty() && !calls.exact() ? "differs between executions" : words);
}

// "225,502 calls, were 152,759 (+48%, exact)".
std::string CountWords(const v1::Finding& calls) {
  const std::string after = calls.after() == 0 ? "no" : HumanCount(calls.after());
  const std::string before = calls.before() == 0 ? "none" : HumanCount(calls.before());
  const std::string effect =
      calls.before() == 0 ? "" : absl::StrCat(HumanEffect(calls.effect_percent()), ", ");
  const absl::string_view unit = CountsBytes(calls) ? " byte" : " call";
  return absl::StrCat(after, unit, calls.after() == 1 ? ", " : "s, ",
                      calls.before() == 1 ? "was " : "were ", before, " (", effect,
                      Certainty(calls), ")");
}

bool IsMore(const v1::Finding& finding) { return finding.after() >= finding.before(); }

// Number of these calls per call of the caller.
struct PerCall {
  std::string before, after;
};

PerCall PerCallOf(const v1::Finding& arc) {
  const auto rate = [&arc](double count, double calls) {
    const double each = calls > 0 ? count / calls : count;
    return CountsAllocatedBytes(arc) ? HumanCount(std::round(each)) : HumanRate(each);
  };
  return {rate(arc.before(), arc.caller_calls_before()),
          rate(arc.after(), arc.caller_calls_after())};
}

// Bytes in use at the peak do not belong to single calls.
std::string PeakWords(const v1::Finding& arc, const Quote& quote) {
  const absl::string_view holds = arc.before() == 0  ? " now holds memory"
                                  : arc.after() == 0 ? " no longer holds memory"
                                  : IsMore(arc)      ? " holds more memory"
                                                     : " holds less memory";
  return absl::StrCat(CallerName(arc, quote), holds, " at the peak");
}

std::string ArcWords(const v1::Finding& arc, const Quote& quote) {
  if (CountsPeakBytes(arc)) return PeakWords(arc, quote);
  const bool bytes = CountsAllocatedBytes(arc);
  const std::string caller = CallerName(arc, quote);
  const std::string does = bytes ? "allocates" : absl::StrCat("calls ", CalleeName(arc, quote));
  if (arc.before() == 0) return absl::StrCat(caller, " now ", does);
  if (arc.after() == 0) return absl::StrCat(caller, " no longer ", does);
  const PerCall per_call = PerCallOf(arc);
  if (arc.caller() != profile::kSpontaneousName && arc.caller_calls_after() > 1 &&
      per_call.before != per_call.after) {
    const bool seldom = absl::StrContains(per_call.after, " in ");
    return absl::StrCat(caller, " ", does, " ", per_call.after, bytes ? " bytes" : "",
                        seldom ? " calls, was " : " per call, was ", per_call.before);
  }
  return absl::StrCat(caller, " ", does, IsMore(arc) ? " more" : " less", bytes ? "" : " often");
}

// `where`: of the time, with a leading blank; or empty.
std::string TimeWords(const v1::Finding& time, absl::string_view where = "") {
  std::string change = absl::StrCat(MeasuredWords(time, time.after()), where, ", was ",
                                    MeasuredWords(time, time.before()));
  // A change from nothing has no percentage.
  if (time.before() <= 0) return change;
  return absl::StrCat(change, " (", HumanEffect(time.effect_percent()),
                      absl::StrFormat(", 95%%: %s to %s)", HumanEffect(time.interval_low_percent()),
                                      HumanEffect(time.interval_high_percent())));
}

// "; with that it allocates 4,096,000 bytes, were none" for calls; "; in 1,000 calls of `malloc`,
// were none" for bytes.
std::string AllocatedWords(const FunctionRow& row, const Quote& quote) {
  if (row.allocated == nullptr) return "";
  const v1::Finding& other = *row.allocated;
  const std::string before = other.before() == 0 ? "none" : HumanCount(other.before());
  if (CountsBytes(other)) {
    return absl::StrCat("; with that it allocates ", HumanCount(other.after()), " bytes, were ",
                        before);
  }
  return absl::StrCat("; in ", HumanCount(other.after()), " calls of ", CalleeName(other, quote),
                      ", were ", before);
}

std::string InstructionWords(const FunctionRow& row) {
  if (row.instructions == nullptr) return "";
  return absl::StrCat("; its instructions ", HumanEffect(row.instructions->effect_percent()));
}

// "`Parse` leads to 28 ms in libraries, was 0 s (…)".
std::string LibraryWords(const v1::Finding& time, const Quote& quote) {
  return absl::StrCat(CalleeName(time, quote), " leads to ", TimeWords(time, " in libraries"));
}

// "`f`, `g`"
std::string EditedNames(const v1::Finding& finding, const Quote& quote) {
  std::vector<std::string> names;
  for (const std::string& name : finding.edited()) names.push_back(quote(profile::Demangle(name)));
  return absl::StrJoin(names, ", ");
}

std::string WhyLibraryTime(const v1::Finding& time, const Quote& quote) {
  std::vector<std::string> parts;
  for (const v1::LibraryPart& part : time.libraries()) {
    parts.push_back(absl::StrCat(quote(part.name()), " ", MeasuredWords(time, part.after()),
                                 ", was ", MeasuredWords(time, part.before())));
  }
  std::string words =
      parts.empty() ? "" : absl::StrCat("Of it: ", absl::StrJoin(parts, "; "), ". ");
  if (time.edited().empty()) return words + "Its code changed, and that of no other function.";
  return absl::StrCat(words, "Its code changed. Other changed functions may be the reason: ",
                      EditedNames(time, quote), ".");
}

std::string WhatChanged(const FunctionRow& row, const Quote& quote) {
  const v1::Finding* const calls = row.arc != nullptr ? row.arc : row.calls;
  if (calls == nullptr && row.first == row.library_time) return LibraryWords(*row.first, quote);
  if (calls == nullptr) {
    const v1::Finding* const own = row.self_time != nullptr ? row.self_time : row.instructions;
    const v1::Finding& time = own != nullptr ? *own : *row.first;
    const absl::string_view which = own == nullptr             ? " with its callees takes "
                                    : CountsInstructions(time) ? " itself executes "
                                                               : " itself takes ";
    const bool both = row.self_time != nullptr && row.instructions != nullptr;
    return absl::StrCat(CalleeName(time, quote), which, TimeWords(time),
                        both ? InstructionWords(row) : "");
  }
  std::string words;
  if (row.arc != nullptr) {
    words = ArcWords(*row.arc, quote);
  } else if (CountsAllocatedBytes(*calls)) {
    words = IsMore(*calls) ? "more is allocated" : "less is allocated";
  } else if (CountsPeakBytes(*calls)) {
    words =
        IsMore(*calls) ? "more memory is in use at the peak" : "less memory is in use at the peak";
  } else if (calls->before() == 0) {
    words = absl::StrCat(CalleeName(*calls, quote), " is new");
  } else if (calls->after() == 0) {
    words = absl::StrCat(CalleeName(*calls, quote), " is no longer called");
  } else {
    words = absl::StrCat(CalleeName(*calls, quote), " is called ",
                         IsMore(*calls) ? "more often" : "less often");
  }
  absl::StrAppend(&words, ": ", CountWords(*calls));
  if (row.arc != nullptr && row.calls != nullptr &&
      (row.calls->after() != row.arc->after() || row.calls->before() != row.arc->before())) {
    absl::StrAppend(&words, "; by all callers ", HumanCount(row.calls->after()), ", were ",
                    HumanCount(row.calls->before()));
  }
  absl::StrAppend(&words, AllocatedWords(row, quote));
  if (row.library_time != nullptr) {
    const v1::Finding& time = *row.library_time;
    absl::StrAppend(&words, "; with that ", MeasuredWords(time, time.after()),
                    " in libraries, were ", MeasuredWords(time, time.before()));
  }
  if (row.self_time != nullptr && row.self_time->verdict() != v1::Finding::CANNOT_TELL) {
    absl::StrAppend(&words,
                    CountsInstructions(*row.self_time) ? "; its instructions " : "; its self time ",
                    HumanEffect(row.self_time->effect_percent()));
  }
  absl::StrAppend(&words, InstructionWords(row));
  return words;
}

// " Edited nearby: `Init`; other data may come from there."; empty: unknown.
std::string EditedWords(const v1::Finding& finding, const Quote& quote) {
  if (finding.edited().empty()) return "";
  return absl::StrCat(" Edited nearby: ", EditedNames(finding, quote),
                      "; other data may come from there.");
}

// Why the row is not an ordinary change; empty: it is.
std::string WhySpecial(const v1::Finding& finding, const Quote& quote) {
  if (finding.test_input()) return "No code outside of the test changed: its input did.";
  if (!finding.unconfirmed()) return "";
  if (finding.environment_size() > 0) {
    return absl::StrCat(
        "Unconfirmed: it began in code without an edit, and the head ran in another "
        "environment: ",
        EnvironmentWords(finding.environment()), ".", EditedWords(finding, quote));
  }
  return absl::StrCat("Unconfirmed: more runs show whether it repeats.",
                      EditedWords(finding, quote));
}

std::string WhyArc(const v1::Finding& arc, const FunctionRow& row, const Quote& quote) {
  if (arc.in_test()) return "The call stands in the test's own code.";
  if (CountsPeakBytes(arc)) {
    return absl::StrCat(IsMore(arc) ? "More" : "Less", " was asked for there, or ",
                        IsMore(arc) ? "less" : "more",
                        " of it had been given back, when the most was in use.");
  }
  if (CountsAllocatedBytes(arc) && (arc.before() == 0 || arc.after() == 0)) {
    return arc.before() == 0 ? "The base allocates nothing there."
                             : "Only the base allocates there.";
  }
  const std::string edited = EditedWords(arc, quote);
  if (row.calls != nullptr && row.calls->before() == 0) {
    return absl::StrCat("The base counted no call of it.", edited);
  }
  if (arc.before() == 0) return absl::StrCat("The base does not make this call.", edited);
  if (arc.after() == 0) return absl::StrCat("Only the base makes this call.", edited);
  const double before = arc.caller_calls_before(), after = arc.caller_calls_after();
  if (arc.caller() == profile::kSpontaneousName || before <= 0 || after <= 0) return "";
  if (arc.caller() == arc.function()) {
    return absl::StrCat("Per call from outside, it calls itself ", IsMore(arc) ? "more" : "less",
                        " often.");
  }
  const std::string caller = CallerName(arc, quote);
  if (before == after) {
    const absl::string_view runs =
        after == 1 ? " runs once, as before" : " runs as often as before";
    return absl::StrCat(caller, runs,
                        edited.empty() ? ", so the change is in its own code or data."
                                       : ", and its code is the same.",
                        edited);
  }
  return absl::StrCat(caller, " itself runs ", HumanCount(after), "×, was ", HumanCount(before),
                      "; that alone does not explain it.");
}

constexpr size_t kSitesNamed = 3;

// " Also: `Handle` calls `Format` once per call, was once in 16 (two.cc:19)."
std::string AlsoWords(const FunctionRow& row, const Quote& quote) {
  if (row.also.empty()) return "";
  std::vector<std::string> sites;
  for (const v1::Finding* arc : row.also) {
    if (sites.size() == kSitesNamed) break;
    sites.push_back(absl::StrCat(ArcWords(*arc, quote), " (",
                                 quote(absl::StrCat(arc->site().file(), ":", arc->site().line())),
                                 ")"));
  }
  if (row.also.size() > kSitesNamed) {
    const size_t more = row.also.size() - kSitesNamed;
    sites.push_back(absl::StrCat(more, more == 1 ? " more place" : " more places"));
  }
  return absl::StrCat(" Also: ", absl::StrJoin(sites, "; "), ".");
}

std::string WhyChanged(const FunctionRow& row, const Quote& quote) {
  std::string special = WhySpecial(MainFinding(row), quote);
  if (!special.empty()) return special;
  if (row.arc != nullptr) return WhyArc(*row.arc, row, quote);
  if (row.calls != nullptr) {
    return row.calls->in_test() ? "The calls stand in the test's own code."
                                : "No single caller stands out.";
  }
  if (row.first == row.library_time) return WhyLibraryTime(*row.first, quote);
  const bool less = RowVerdict(row) == v1::Finding::IMPROVED;
  if (row.self_time == nullptr && row.instructions != nullptr) {
    return absl::StrCat("Its calls did not change as much, so each call executes ",
                        less ? "fewer." : "more.");
  }
  return absl::StrCat("Its calls did not change as much, so each call takes ",
                      less ? "less time." : "longer.");
}

}  // namespace

CauseWords WordsOfCause(const FunctionRow& row, const Quote& quote) {
  CauseWords words;
  if (IsGroup(*row.first)) {
    words.what = absl::StrCat(CalleeName(*row.first, quote), ": ", GroupWords(*row.first));
    words.share = GroupEffectWords(*row.first);
    words.why =
        row.first->has_toolchain()
            ? "Compilers and their options change counts and times of functions; the test's "
              "time is judged as a whole."
        : row.first->rewrite().calls_differ()
            ? "New functions replace the removed ones. Changed calls of other functions are listed "
              "separately."
            : "New functions replace the removed ones.";
    return words;
  }
  words.what = WhatChanged(row, quote);
  words.share = ShareWords(row);
  words.why = std::string(
      absl::StripLeadingAsciiWhitespace(WhyChanged(row, quote) + AlsoWords(row, quote)));
  return words;
}

// Merges two paths into one table: a function on both paths is one line. Pairs are the longest
// common subsequence of the two paths, so that a function on one path only does not separate the
// others.

namespace {

using Step = v1::Explanation::Step;

constexpr size_t kNameColumn = 52;
constexpr size_t kSideColumn = 33;
constexpr size_t kCallsColumn = 15;
constexpr size_t kRateColumn = 9;

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

std::string SideTitle(const char* which, const v1::Explanation::Side& side) {
  std::string name =
      base::Printable(side.commit().empty() ? side.run_id() : side.commit().substr(0, 12));
  if (!side.commit().empty()) absl::StrAppend(&name, ", run ", base::Printable(side.run_id()));
  return base::Shortened(absl::StrCat(which, " ", name), kSideColumn - 2);
}

bool IsFirst(const v1::Explanation::Side& side, const Step* step) {
  return side.path_size() > 0 && step == &side.path(0);
}

std::string ExplanationPerCall(const Step& step, bool is_first) {
  if (is_first) return "";
  return RateInColumn(step.per_call());
}

// "        239,477     239×    39%".
std::string Cell(const Step* step, bool is_first) {
  if (step == nullptr) return LeftAligned(RightAligned("-", kCallsColumn), kSideColumn);
  std::string calls = HumanCount(step->arc_calls());
  if (calls.size() > kCallsColumn) calls = absl::StrFormat("%.4g", step->arc_calls());
  return LeftAligned(absl::StrCat(RightAligned(calls, kCallsColumn),
                                  RightAligned(ExplanationPerCall(*step, is_first), kRateColumn),
                                  absl::StrFormat("%7s", HumanShare(step->share()))),
                     kSideColumn);
}

// The function, its call site, and whether it has other callers.
std::string NameCell(const Pair& pair, bool changed) {
  const Step& step = pair.second != nullptr ? *pair.second : *pair.first;
  std::string out =
      absl::StrCat(changed ? "> " : "  ",
                   base::Shortened(FunctionName(step.function_display()), kNameColumn - 2));
  const size_t has = TextColumns(out);
  if (!step.site().file().empty() && has + 10 < kNameColumn) {
    const std::string place = base::Printable(
        step.site().line() == 0 ? step.site().file()
                                : absl::StrCat(step.site().file(), ":", step.site().line()));
    absl::StrAppend(&out, "  ", base::Shortened(place, kNameColumn - has - 2));
  }
  return LeftAligned(out, kNameColumn + 2);
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
  absl::StrAppend(&out, LeftAligned("the path of most calls", kNameColumn + 2), "  ",
                  LeftAligned(SideTitle("base", explanation.base()), kSideColumn),
                  SideTitle("head", explanation.head()), "\n");
  const std::string titles =
      absl::StrCat(RightAligned("calls", kCallsColumn), RightAligned("per call", kRateColumn),
                   absl::StrFormat("%7s", "CPU"));
  absl::StrAppend(&out, LeftAligned("  function  called at", kNameColumn + 2),
                  LeftAligned(titles, kSideColumn), titles, "\n");
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

}  // namespace gprofhub::reporter
