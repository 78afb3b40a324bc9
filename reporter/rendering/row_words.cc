#include "reporter/rendering/row_words.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
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

// Names in a list; the others are counted.
constexpr size_t kShiftedWith = 3;

// "`f`, `g`, 4 more". Names that look the same are one: "`…::Run()` (26 functions)".
std::string ListOfNames(const v1::Shift& shift, const Quote& quote) {
  std::vector<std::pair<std::string, uint64_t>> names;
  for (const std::string& with : shift.with()) {
    std::string shown = quote(shift.kind() == v1::Shift::MOVED ? with : profile::Demangle(with));
    const auto same = std::find_if(names.begin(), names.end(),
                                   [&](const auto& name) { return name.first == shown; });
    if (same == names.end()) {
      names.emplace_back(std::move(shown), 1);
    } else {
      ++same->second;
    }
  }
  std::vector<std::string> words;
  uint64_t more = 0;
  for (const auto& [name, count] : names) {
    if (words.size() == kShiftedWith) {
      more += count;
    } else {
      words.push_back(count == 1 ? name
                                 : absl::StrCat(name, " (", CountOfNoun(count, "function"), ")"));
    }
  }
  if (more > 0) words.push_back(absl::StrCat(more, " more"));
  return absl::StrJoin(words, ", ");
}

bool IsInCharacter(char c) { return (c & 0xC0) == 0x80; }  // of UTF-8

bool IsOfNameWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || byte >= 0x80;
}

// What is shown of a name: a part with the first difference, and so much before it.
constexpr size_t kDifferenceBytes = 40;
constexpr size_t kBytesBefore = 16;

// `name` from the word on that byte `difference` is in or behind.
std::string PartWithDifference(absl::string_view name, size_t difference) {
  const size_t earliest = difference - std::min(difference, kBytesBefore);
  size_t begin = difference;
  for (const bool of_word : {true, false}) {
    while (begin > earliest && IsOfNameWord(name[begin - 1]) == of_word) --begin;
  }
  while (begin < difference && IsInCharacter(name[begin])) ++begin;
  const absl::string_view part = name.substr(begin);
  if (part.size() <= kDifferenceBytes) return absl::StrCat(begin == 0 ? "" : "…", part);
  size_t size = kDifferenceBytes;
  while (size > kBytesBefore + 1 && IsOfNameWord(part[size - 1]) && IsOfNameWord(part[size]))
    --size;
  while (IsInCharacter(part[size])) --size;
  return absl::StrCat(begin == 0 ? "" : "…", part.substr(0, size), "…");
}

// The parts of two names where they differ; nothing if `quote` shows these alike.
std::string DifferenceWords(absl::string_view name, absl::string_view old, const Quote& quote) {
  size_t same = 0;
  while (same < name.size() && same < old.size() && name[same] == old[same]) ++same;
  while (same > 0 && same < name.size() && IsInCharacter(name[same])) --same;
  const std::string now = quote(PartWithDifference(name, same));
  const std::string before = quote(PartWithDifference(old, same));
  return now == before ? "" : absl::StrCat(now, ", was ", before);
}

// "renamed, was `f`". If both names are shortened to the same text, the parts that differ.
std::string RenamedWords(const v1::Finding& finding, const Quote& quote) {
  const std::string& symbol = finding.function();
  const std::string& old_symbol = finding.shift().with(0);
  const std::string name = profile::Demangle(symbol), old = profile::Demangle(old_symbol);
  const std::string shown = quote(old);
  if (shown != quote(name)) return absl::StrCat("renamed, was ", shown);
  constexpr size_t kWhole = 10000;
  for (const std::string& words :
       {DifferenceWords(profile::ShortName(name, kWhole), profile::ShortName(old, kWhole), quote),
        DifferenceWords(name, old, quote)}) {
    if (!words.empty()) return absl::StrCat("renamed: ", words);
  }
  const std::string symbols = DifferenceWords(symbol, old_symbol, quote);
  return symbols.empty() ? "renamed" : absl::StrCat("same name, another symbol: ", symbols);
}

// Describes moved cost.
std::string ShiftWords(const v1::Finding& finding, const Quote& quote) {
  const v1::Shift& shift = finding.shift();
  const std::string names = ListOfNames(shift, quote);
  switch (shift.kind()) {
    case v1::Shift::RENAMED:
      return shift.with().empty() ? "renamed" : RenamedWords(finding, quote);
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
  if (CallsVary(finding)) words += " (differs between executions)";
  return words;
}

std::string PerCall(double count, double calls) {
  return RateInColumn(calls > 0 ? count / calls : count);
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
  return absl::StrCat(caller, " calls it ", after, " per call, was ", before);
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
  if (time.more_runs_needed() > 0) {
    absl::StrAppend(&words, " (", time.more_runs_needed(),
                    time.more_runs_needed() == 1 ? " more run" : " more runs", " would decide)");
  }
  return words;
}

std::string TimeEffectWords(absl::string_view which, const v1::Finding& time) {
  if (time.verdict() == v1::Finding::CANNOT_TELL && !time.unconfirmed()) {
    return UnclearTimeWords(which, time);
  }
  if (time.before() <= 0) return absl::StrCat("new ", which, " time");
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
  std::string others = OtherShareWords(row);
  // Bytes alone do not take time.
  if (row.share == 0 && !others.empty()) return others;
  const absl::string_view and_others = others.empty() ? "" : ", ";
  if (IsUnsampled(row)) {
    return absl::StrCat(Amount(row.share),
                        " of the test's calls (share of CPU not known: no samples)", and_others,
                        others);
  }
  if (row.contradicted) {
    return absl::StrCat("effect on the test's CPU not known: its measured change is the other way",
                        and_others, others);
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
    words.push_back(ShiftWords(*finding, quote));
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
