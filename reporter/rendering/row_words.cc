#include "reporter/rendering/row_words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "proto/findings.pb.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"

namespace gprofhub::reporter {

namespace {

std::string ToolchainWords(const v1::ToolchainChange& toolchain) {
  std::string words = absl::StrCat("compiled ", toolchain.files(), " of ",
                                   CountOfNoun(toolchain.all_files(), "file"));
  if (toolchain.folded() > 0) {
    absl::StrAppend(&words, "; ", CountOfNoun(toolchain.folded(), "function"), " changed with it");
  }
  if (toolchain.beside_size() > 0) {
    absl::StrAppend(&words, "; also changed, independently of the toolchain: ",
                    CountOfNoun(static_cast<uint64_t>(toolchain.beside_size()), "function"));
  }
  return words;
}

std::string ReplacedWords(const v1::Rewrite& rewrite) {
  const auto pairs = static_cast<uint64_t>(rewrite.pairs_size());
  return absl::StrCat(CountOfNoun(pairs + static_cast<uint64_t>(rewrite.gone_size()), "function"),
                      " replaced by ", pairs + static_cast<uint64_t>(rewrite.came_size()));
}

std::string ShareWords(const v1::Rewrite& rewrite) {
  if (rewrite.share_before() <= 0 && rewrite.share_after() <= 0) return "";
  return absl::StrCat(", together ", HumanShare(rewrite.share_before()), " → ",
                      HumanShare(rewrite.share_after()), " of the test's CPU");
}

}  // namespace

std::string CountOfNoun(uint64_t count, absl::string_view noun) {
  return absl::StrCat(HumanCount(static_cast<double>(count)), " ", noun, count == 1 ? "" : "s");
}

bool IsGroup(const v1::Finding& finding) {
  return finding.has_toolchain() || finding.has_rewrite();
}

std::string GroupWords(const v1::Finding& finding) {
  if (finding.has_toolchain()) return ToolchainWords(finding.toolchain());
  if (!finding.has_rewrite()) return "";
  return absl::StrCat("rewritten: ", ReplacedWords(finding.rewrite()),
                      ShareWords(finding.rewrite()));
}

std::string GroupEffectWords(const v1::Finding& finding) {
  const absl::string_view what = finding.has_toolchain() ? "the test's time" : "self time together";
  if (finding.verdict() == v1::Finding::CANNOT_TELL) {
    const double detectable = finding.detectable_percent();
    if (detectable <= 0 || detectable > kTooCoarsePercent) {
      return absl::StrCat(what, ": too few samples");
    }
    return absl::StrFormat("%s: inconclusive below ±%.0f%%", what, detectable);
  }
  return absl::StrFormat("%s %s (95%%: %s to %s)", HumanEffect(finding.effect_percent()), what,
                         HumanEffect(finding.interval_low_percent()),
                         HumanEffect(finding.interval_high_percent()));
}

std::string GroupHeadline(const v1::Finding& finding) {
  if (finding.has_toolchain()) {
    return absl::StrCat("another toolchain compiled ", finding.toolchain().files(), " of ",
                        CountOfNoun(finding.toolchain().all_files(), "file"));
  }
  return absl::StrCat("a rewrite: ", ReplacedWords(finding.rewrite()),
                      ShareWords(finding.rewrite()));
}

namespace {

// Reruns beyond this number are not suggested: too expensive for one function.
constexpr uint32_t kRunsWorthNaming = 100;

// Describes moved cost.
std::string ShiftWords(const v1::Shift& shift, const Quote& quote) {
  std::vector<std::string> with;
  for (int i = 0; i < shift.with_size() && i < 3; ++i) {
    with.push_back(
        quote(shift.kind() == v1::Shift::MOVED ? shift.with(i) : profile::Demangle(shift.with(i))));
  }
  if (shift.with_size() > 3) with.push_back(absl::StrCat(shift.with_size() - 3, " more"));
  const std::string names = absl::StrJoin(with, ", ");
  switch (shift.kind()) {
    case v1::Shift::RENAMED:
      return absl::StrCat("renamed, was ", names);
    case v1::Shift::MOVED:
      return absl::StrCat("moved to another file, was in ", names);
    case v1::Shift::INLINED:
      return absl::StrCat("inlined into ", names);
    case v1::Shift::OUTLINED:
      return absl::StrCat("taken out of ", names);
    case v1::Shift::SPLIT:
      return absl::StrCat("split: shares its work with ", names);
    case v1::Shift::CALLED_FROM_ELSEWHERE:
      return "called from elsewhere, with the same total";
    case v1::Shift::TIME_MOVED:
      return absl::StrCat("self time moved between it and ", names);
    case v1::Shift::TOOLCHAIN:
      return absl::StrCat("compiled differently, ", names);
    case v1::Shift::REWRITTEN:
      return absl::StrCat("part of ", names, ", which was rewritten");
    default:
      return "";
  }
}

std::string TimeWords(absl::string_view what, const v1::Finding& finding) {
  return absl::StrFormat("%s %s, was %s", what, MeasuredWords(finding, finding.after()),
                         MeasuredWords(finding, finding.before()));
}

std::string IntervalWords(const v1::Finding& finding) {
  return absl::StrFormat("95%%: %s to %s", HumanEffect(finding.interval_low_percent()),
                         HumanEffect(finding.interval_high_percent()));
}

// For allocated bytes, or bytes in use at the peak.
std::string BytesWords(const v1::Finding& finding) {
  const absl::string_view which =
      CountsPeakBytes(finding) ? " bytes in use at the peak" : " bytes allocated";
  if (finding.before() == 0) return absl::StrCat("new: ", HumanCount(finding.after()), which);
  return absl::StrCat(HumanCount(finding.after()), which, ", were ", HumanCount(finding.before()));
}

std::string CallsWords(const v1::Finding& finding) {
  if (CountsBytes(finding)) return BytesWords(finding);
  if (finding.before() == 0) return absl::StrCat("new: called ", HumanCount(finding.after()), "×");
  if (finding.after() == 0) {
    return absl::StrCat("no longer called, was ", HumanCount(finding.before()), "×");
  }
  std::string words =
      absl::StrCat("called ", HumanCount(finding.after()), "×, was ", HumanCount(finding.before()));
  if (!finding.exact() && !finding.one_run()) words += " (differs between executions)";
  return words;
}

std::string PerCall(double count, double calls) {
  const double each = calls > 0 ? count / calls : count;
  return each >= 1000 ? HumanCount(std::round(each)) : absl::StrFormat("%.3g", each);
}

std::string BytesArcWords(const v1::Finding& arc, const std::string& caller) {
  if (CountsPeakBytes(arc)) {
    return absl::StrCat(caller, " holds ", HumanCount(arc.after()), " of them, was ",
                        HumanCount(arc.before()));
  }
  if (arc.before() == 0) {
    return absl::StrCat(caller, " now allocates ", HumanCount(arc.after()), " bytes");
  }
  const bool each = arc.caller_calls_before() > 1 && arc.caller_calls_after() > 1;
  const double before = each ? arc.before() / arc.caller_calls_before() : arc.before();
  const double after = each ? arc.after() / arc.caller_calls_after() : arc.after();
  return absl::StrCat(caller, " allocates ", HumanCount(std::round(after)), " bytes",
                      each ? " per call" : "", ", was ", HumanCount(std::round(before)));
}

// `calls`, if not null, is the row's finding about the function as a whole.
std::string ArcWords(const v1::Finding& arc, const v1::Finding* calls, const Quote& quote) {
  const std::string caller =
      arc.caller() == profile::kSpontaneousName
          ? "code outside the profile"
          : quote(arc.caller_display().empty() ? arc.caller() : arc.caller_display());
  const bool says_the_same =
      calls != nullptr && calls->before() == arc.before() && calls->after() == arc.after();
  const bool once = arc.caller_calls_after() <= 1 || arc.before() == 0 || arc.after() == 0;
  if (says_the_same && once) return absl::StrCat("all by ", caller);
  if (CountsBytes(arc)) return BytesArcWords(arc, caller);
  if (arc.verdict() == v1::Finding::NEW || arc.before() == 0) {
    return absl::StrCat(caller, " now calls it ", HumanCount(arc.after()), "×");
  }
  if (arc.verdict() == v1::Finding::VANISHED || arc.after() == 0) {
    return absl::StrCat(caller, " no longer calls it, was ", HumanCount(arc.before()), "×");
  }
  const std::string before = PerCall(arc.before(), arc.caller_calls_before());
  const std::string after = PerCall(arc.after(), arc.caller_calls_after());
  if (arc.caller_calls_after() <= 1 || before == after) {
    return absl::StrCat(caller, " calls it ", HumanCount(arc.after()), "×, was ",
                        HumanCount(arc.before()));
  }
  return absl::StrCat(caller, " calls it ", after, "× per call, was ", before);
}

std::string CallsEffectWords(const v1::Finding& calls) {
  const absl::string_view certainty = CertaintyWords(calls);
  if (calls.before() == 0) return absl::StrCat("new", certainty);
  const absl::string_view unit = CountsBytes(calls) ? " bytes" : " calls";
  if (calls.before() == calls.after()) return absl::StrCat("as many", unit, certainty);
  return absl::StrCat(HumanEffect(calls.effect_percent()), unit, certainty);
}

std::string UnclearTimeWords(absl::string_view which, const v1::Finding& time) {
  const double detectable = time.detectable_percent();
  std::string words =
      detectable > kTooCoarsePercent
          ? absl::StrCat(which, " time: too few samples")
          : absl::StrFormat("%s time: inconclusive below ±%.0f%%", which, detectable);
  if (time.more_runs_needed() > 0 && time.more_runs_needed() <= kRunsWorthNaming) {
    absl::StrAppend(&words, " (", time.more_runs_needed(),
                    time.more_runs_needed() == 1 ? " more run" : " more runs", " would decide)");
  }
  return words;
}

std::string TimeEffectWords(absl::string_view which, const v1::Finding& time) {
  if (time.verdict() == v1::Finding::CANNOT_TELL && !time.unconfirmed()) {
    return UnclearTimeWords(which, time);
  }
  std::string words = absl::StrFormat("%s %s time (%s", HumanEffect(time.effect_percent()), which,
                                      IntervalWords(time));
  if (time.unconfirmed()) words += "; unconfirmed";
  if (time.pooled_targets() > 0) {
    absl::StrAppend(&words, "; in ", time.pooled_targets(), " tests together");
  }
  return words + ")";
}

// Smaller effects have no sign, in percent.
constexpr double kLeastShown = 0.1;

std::string Amount(double share) {
  return share < 0.001 ? "less than 0.1%" : absl::StrCat("about ", HumanShare(share));
}

// Costs other than CPU time, if material.
std::string OtherShareWords(const FunctionRow& row) {
  std::vector<std::string> words;
  if (row.share_of_bytes >= kLeastOtherShare) {
    words.push_back(absl::StrCat(Amount(row.share_of_bytes), " of the bytes that it allocates"));
  }
  if (row.share_of_waits >= kLeastOtherShare) {
    words.push_back(absl::StrCat(Amount(row.share_of_waits), " of its calls that wait"));
  }
  return absl::StrJoin(words, ", ");
}

}  // namespace

std::string ShareWords(const FunctionRow& row) {
  const std::string others = OtherShareWords(row);
  // Bytes alone do not take time.
  if (row.share == 0 && !others.empty()) return others;
  const absl::string_view and_others = others.empty() ? "" : ", ";
  if (IsUnsampled(row)) {
    return absl::StrCat(Amount(row.share),
                        " of the test's calls (share of CPU not known: no samples)", and_others,
                        others);
  }
  const double percent = row.effect_percent.value_or(0);
  const bool of_instructions = CountsInstructions(MainFinding(row));
  const absl::string_view what = of_instructions ? "instructions" : "CPU";
  if (std::fabs(percent) < kLeastShown) {
    return absl::StrCat(Amount(row.share), " of the test's ", what, and_others, others);
  }
  if (row.effect_seconds.has_value() && !of_instructions) {
    return absl::StrCat("about ", HumanChange(*row.effect_seconds), " CPU (", HumanEffect(percent),
                        ")", and_others, others);
  }
  return absl::StrCat("about ", HumanEffect(percent), " of the test's ", what, and_others, others);
}

std::string MeasuredWords(const v1::Finding& finding, double value) {
  if (!CountsInstructions(finding)) return HumanTime(value, "seconds");
  return absl::StrCat(HumanCount(value), " instructions");
}

absl::string_view CertaintyWords(const v1::Finding& calls) {
  if (calls.exact()) return " (exact)";
  if (!calls.one_run()) return "";
  return calls.before() == 0 || calls.after() == 0 ? " (one run)" : " (one run each)";
}

std::string DescribeRow(const FunctionRow& row, const Quote& quote) {
  if (IsGroup(*row.first)) return GroupWords(*row.first);
  std::vector<std::string> words;
  for (const v1::Finding* finding : {row.calls, row.arc, row.self_time, row.instructions}) {
    if (finding == nullptr || !finding->has_shift()) continue;
    words.push_back(ShiftWords(finding->shift(), quote));
    break;
  }
  const bool same_calls = row.calls != nullptr && row.calls->before() == row.calls->after();
  if (row.calls != nullptr && !same_calls) words.push_back(CallsWords(*row.calls));
  if (row.arc != nullptr) words.push_back(ArcWords(*row.arc, row.calls, quote));
  if (row.further_arcs > 0) {
    words.push_back(absl::StrCat(row.further_arcs,
                                 row.further_arcs == 1 ? " other caller" : " other callers",
                                 " changed too"));
  }
  if (row.self_time != nullptr) {
    words.push_back(
        TimeWords(CountsInstructions(*row.self_time) ? "executes" : "self time", *row.self_time));
  }
  if (row.instructions != nullptr) words.push_back(TimeWords("executes", *row.instructions));
  if (row.library_time != nullptr)
    words.push_back(TimeWords("leads to", *row.library_time) + " in libraries");
  if (row.total_time != nullptr) {
    words.push_back(
        TimeWords(row.total_time->measured() ? "total time (measured)" : "total time (estimated)",
                  *row.total_time));
  }
  if (row.follows > 0) {
    words.push_back(absl::StrCat(row.follows, row.follows == 1 ? " side effect" : " side effects"));
  }
  if (row.same_cause > 0) {
    words.push_back(absl::StrCat(row.same_cause,
                                 row.same_cause == 1 ? " other function" : " other functions",
                                 " changed for the same cause"));
  }
  if (row.cause != nullptr) {
    const std::string& display = row.cause->function_display();
    words.push_back(
        absl::StrCat("same cause as ", quote(display.empty() ? row.cause->function() : display)));
  }
  return absl::StrJoin(words, "; ");
}

std::string DescribeEffect(const FunctionRow& row) {
  if (IsGroup(*row.first)) return GroupEffectWords(*row.first);
  std::vector<std::string> words;
  const v1::Finding* const calls = row.calls != nullptr ? row.calls : row.arc;
  if (calls != nullptr) {
    words.push_back(CallsEffectWords(*calls));
    if (row.kind != FindingKind::kShifted && row.kind != FindingKind::kFolded)
      words.push_back(ShareWords(row));
  }
  if (row.self_time != nullptr) words.push_back(TimeEffectWords("self", *row.self_time));
  if (row.instructions != nullptr) {
    words.push_back(TimeEffectWords("instructions", *row.instructions));
  }
  if (row.library_time != nullptr) {
    words.push_back(TimeEffectWords("libraries'", *row.library_time));
  }
  if (row.total_time != nullptr) words.push_back(TimeEffectWords("total", *row.total_time));
  return absl::StrJoin(words, ", ");
}

}  // namespace gprofhub::reporter
