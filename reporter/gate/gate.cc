#include "reporter/gate/gate.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/glob.h"
#include "base/text.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kMaxCommands = 100;

// Removes and returns the first word, and the blanks after it.
absl::string_view TakeWord(absl::string_view& text) {
  const absl::string_view word = text.substr(0, text.find_first_of(" \t"));
  text = absl::StripLeadingAsciiWhitespace(text.substr(word.size()));
  return word;
}

// The lines of a comment that its author shows as text: without those of code blocks and HTML
// comments (spec.commonmark.org, 4.4 to 4.6), which show a command as an example.
std::vector<absl::string_view> TextLines(absl::string_view body) {
  std::vector<absl::string_view> lines;
  absl::string_view fence;
  bool in_comment = false;
  for (const absl::string_view line : absl::StrSplit(body, '\n')) {
    const absl::string_view text = absl::StripAsciiWhitespace(line);
    const size_t run = text.empty() ? 0 : std::min(text.find_first_not_of(text[0]), text.size());
    const bool fences = run >= 3 && (text[0] == '`' || text[0] == '~');
    if (in_comment) {
      in_comment = !absl::StrContains(line, "-->");
    } else if (!fence.empty()) {
      const bool closes = fences && run == text.size() && absl::StartsWith(text, fence);
      if (closes) fence = "";
    } else if (fences) {
      fence = text.substr(0, run);
    } else {
      const size_t comment = line.rfind("<!--");
      in_comment =
          comment != absl::string_view::npos && !absl::StrContains(line.substr(comment), "-->");
      const absl::string_view indent = line.substr(0, line.find_first_not_of(" \t"));
      if (indent.size() < 4 && !absl::StrContains(indent, '\t')) lines.push_back(line);
    }
  }
  return lines;
}

// If the line is a command, removes the prefix and returns the action; otherwise nothing.
absl::string_view TakeAction(absl::string_view& line) {
  line = absl::StripAsciiWhitespace(line);
  return TakeWord(line) == "/gprofhub" ? TakeWord(line) : absl::string_view();
}

absl::string_view TakeName(absl::string_view& text) {
  if (!absl::ConsumePrefix(&text, "`")) return TakeWord(text);
  const size_t end = text.find('`');
  if (end == absl::string_view::npos) return "";
  const absl::string_view name = text.substr(0, end);
  text = absl::StripLeadingAsciiWhitespace(text.substr(end + 1));
  return absl::StripAsciiWhitespace(name);
}

}  // namespace

std::vector<AckCommand> ParseAckCommands(absl::string_view body) {
  std::vector<AckCommand> commands;
  for (absl::string_view line : TextLines(body)) {
    if (commands.size() == kMaxCommands) break;
    const absl::string_view action = TakeAction(line);
    if (action != "ack" && action != "not-a-regression") continue;
    AckCommand command;
    command.function = std::string(TakeName(line));
    command.reason = std::string(line);
    command.not_a_regression = action == "not-a-regression";
    if (command.function.empty() || command.reason.empty()) continue;
    if (command.function.size() > kMaxRuleTextBytes || command.reason.size() > kMaxRuleTextBytes)
      continue;
    commands.push_back(std::move(command));
  }
  return commands;
}

bool AsksForRerun(absl::string_view body) {
  const std::vector<absl::string_view> lines = TextLines(body);
  return std::any_of(lines.begin(), lines.end(),
                     [](absl::string_view line) { return TakeAction(line) == "rerun"; });
}

namespace {

using FunctionOfTarget = std::pair<absl::string_view, absl::string_view>;

// Findings that are causes: neither side effects of another finding nor explained by one, and
// outside of the test's own code.
class Causes {
 public:
  explicit Causes(const v1::Report& report) {
    for (const v1::Finding& finding : report.findings()) {
      for (const std::string& name : finding.follows()) followers_.emplace(finding.target(), name);
      if (IsOrigin(finding) && finding.in_test()) {
        by_tests_[{finding.target(), finding.function()}] += RankingShare(finding);
      }
    }
  }

  bool Contains(const v1::Finding& finding) const {
    // A change began on a changed arc, wherever it lies.
    const bool follows = finding.metric() == v1::Finding::CALLS && finding.caller().empty() &&
                         followers_.contains({finding.target(), finding.function()});
    return !follows && !finding.explained() && !finding.in_test();
  }

  // The finding's share without the part that the test's own code causes: some of a function's
  // additional calls may come from there.
  double Share(const v1::Finding& finding) const {
    const bool in_all = finding.metric() == v1::Finding::CALLS && finding.caller().empty();
    const auto tests =
        in_all ? by_tests_.find({finding.target(), finding.function()}) : by_tests_.end();
    return RankingShare(finding) - (tests == by_tests_.end() ? 0 : tests->second);
  }

 private:
  std::set<FunctionOfTarget> followers_;
  std::map<FunctionOfTarget, double> by_tests_;
};

template <typename T>
bool Contains(const std::vector<T>& list, const T& value) {
  return std::find(list.begin(), list.end(), value) != list.end();
}

bool AnyMatches(const std::vector<std::string>& globs, absl::string_view first,
                absl::string_view second) {
  return globs.empty() || std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
           return base::GlobMatches(glob, first) || base::GlobMatches(glob, second);
         });
}

const GateRule* RuleOf(const v1::Finding& finding, const Policy& policy) {
  for (const GateRule& rule : policy.gates) {
    if (Contains(rule.verdicts, finding.verdict()) && Contains(rule.metrics, finding.metric()) &&
        AnyMatches(rule.targets, finding.target(), finding.target()) &&
        AnyMatches(rule.functions, finding.function(), finding.function_display())) {
      return &rule;
    }
  }
  return nullptr;
}

bool HasEffect(const v1::Finding& finding, const GateRule& rule) {
  const bool without_before = finding.before() == 0;  // the effect in percent is undefined
  return without_before || std::fabs(finding.effect_percent()) >= rule.min_effect_percent;
}

// Whether the rule has no threshold that applies: the finding's share of CPU is unknown, and the
// rule has none for its share of calls.
bool CannotJudge(const v1::Finding& finding, const GateRule& rule) {
  return finding.has_share_of_calls() && !rule.min_calls_percent.has_value() &&
         rule.min_cpu_percent > 0;
}

bool Reaches(const v1::Finding& finding, double share, const GateRule& rule) {
  if (CannotJudge(finding, rule)) return false;
  const double least =
      finding.has_share_of_calls() ? rule.min_calls_percent.value_or(0) : rule.min_cpu_percent;
  return share * 100 >= least && HasEffect(finding, rule);
}

std::optional<store::AcknowledgementRecord> FindAcknowledgement(
    const v1::Finding& finding, const std::vector<store::AcknowledgementRecord>& records,
    absl::string_view pull_request, absl::Time now) {
  for (const store::AcknowledgementRecord& record : records) {
    if (record.expires <= now) continue;
    if (!record.pull_request.empty() && record.pull_request != pull_request) continue;
    if (Covers(record, finding.function(), finding.function_display(), finding.target())) {
      return record;
    }
  }
  return std::nullopt;
}

// An acknowledgement in a pull request covers all findings of the same cause.
void CoverCauses(GateResult& result) {
  std::map<std::pair<size_t, absl::string_view>, const store::AcknowledgementRecord*> said;
  for (const GatedFinding& gated : result.gated) {
    if (!gated.acknowledged.has_value() || gated.acknowledged->pull_request.empty()) continue;
    said.try_emplace({gated.cause, gated.finding->target()}, &*gated.acknowledged);
  }
  for (GatedFinding& gated : result.gated) {
    const auto found = said.find({gated.cause, gated.finding->target()});
    if (!gated.acknowledged.has_value() && found != said.end()) gated.acknowledged = *found->second;
  }
}

std::string Changes(size_t count) {
  return absl::StrCat(count, count == 1 ? " change" : " changes");
}

}  // namespace

bool Covers(const store::AcknowledgementRecord& acknowledgement, absl::string_view function,
            absl::string_view function_display, absl::string_view target) {
  if (!acknowledgement.target.empty() && !base::GlobMatches(acknowledgement.target, target))
    return false;
  return base::GlobMatches(acknowledgement.function, function) ||
         base::GlobMatches(acknowledgement.function, function_display) ||
         acknowledgement.function == FunctionName(function_display);
}

GateResult JudgeGate(const v1::Report& report, const Policy& policy,
                     const std::vector<store::AcknowledgementRecord>& acknowledgements,
                     absl::string_view pull_request, absl::Time now) {
  GateResult result;
  if (!report.compared().has_base()) {
    result.conclusion = GateResult::Conclusion::kNothingToCompare;
    return result;
  }
  const Causes causes(report);
  const std::vector<size_t> cause_numbers = CausesOf(report);
  std::set<FunctionOfTarget> unsampled;
  std::set<absl::string_view> unconfirmed;
  const std::vector<FindingKind> kinds = FindingKinds(report);
  for (int i = 0; i < report.findings_size(); ++i) {
    const v1::Finding& finding = report.findings(i);
    if (kinds[static_cast<size_t>(i)] == FindingKind::kUnconfirmed) {
      unconfirmed.insert(finding.function());
    }
    if (!causes.Contains(finding)) continue;
    const GateRule* const rule = RuleOf(finding, policy);
    if (rule == nullptr || !rule->fails) continue;
    if (CannotJudge(finding, *rule) && HasEffect(finding, *rule)) {
      unsampled.emplace(finding.target(), finding.function());
    }
    if (!Reaches(finding, causes.Share(finding), *rule)) continue;
    GatedFinding gated{&finding, rule->name,
                       FindAcknowledgement(finding, policy.acknowledged, pull_request, now)};
    if (!gated.acknowledged.has_value()) {
      gated.acknowledged = FindAcknowledgement(finding, acknowledgements, pull_request, now);
    }
    gated.cause = cause_numbers[static_cast<size_t>(i)];
    result.gated.push_back(std::move(gated));
  }
  CoverCauses(result);
  for (const GatedFinding& gated : result.gated) {
    if (!gated.acknowledged.has_value()) result.conclusion = GateResult::Conclusion::kFail;
  }
  result.unsampled = unsampled.size();
  result.unconfirmed = unconfirmed.size();
  result.reruns = CountReruns(report);
  result.rerun_command = RerunListCommand(report);
  const v1::Compared& compared = report.compared();
  result.not_compared.assign(compared.not_compared().begin(), compared.not_compared().end());
  result.tests = result.not_compared.size() + static_cast<size_t>(compared.targets_size()) +
                 static_cast<size_t>(compared.unchanged_targets_size());
  if (result.conclusion == GateResult::Conclusion::kPass && !result.not_compared.empty()) {
    result.conclusion = GateResult::Conclusion::kIncomplete;
  }
  return result;
}

bool HasMaterialChange(const v1::Report& report, const Policy& policy) {
  const Causes causes(report);
  return std::any_of(report.findings().begin(), report.findings().end(),
                     [&](const v1::Finding& finding) {
                       return Changed(finding) && finding.metric() != v1::Finding::TOTAL_TIME &&
                              (causes.Share(finding) * 100 >= policy.comment_above_percent ||
                               CostsOtherThanCpu(finding)) &&
                              causes.Contains(finding);
                     });
}

std::vector<GatedCause> GatedCauses(const GateResult& gate) {
  struct Names {
    std::set<absl::string_view> functions, targets;
  };
  std::vector<GatedCause> causes;
  std::vector<Names> names;
  std::map<size_t, size_t> index;  // by a cause's number
  for (const GatedFinding& gated : gate.gated) {
    const auto [entry, inserted] = index.try_emplace(gated.cause, causes.size());
    if (inserted) {
      causes.push_back({&gated});
      names.emplace_back();
    }
    GatedCause& cause = causes[entry->second];
    if (cause.shown->acknowledged.has_value() && !gated.acknowledged.has_value()) {
      cause.shown = &gated;
    }
    const v1::Finding& finding = *gated.finding;
    names[entry->second].targets.insert(finding.target());
    names[entry->second].functions.insert(finding.function());
    names[entry->second].functions.insert(finding.follows().begin(), finding.follows().end());
  }
  for (size_t i = 0; i < causes.size(); ++i) {
    causes[i].with_it = names[i].functions.size() - 1;
    causes[i].other_targets = names[i].targets.size() - 1;
  }
  return causes;
}

std::string WithItWords(const GatedCause& cause) {
  std::string words;
  if (cause.with_it > 0) {
    absl::StrAppend(&words, ", and ", cause.with_it,
                    cause.with_it == 1 ? " that follows from it" : " that follow from it");
  }
  if (cause.other_targets > 0) {
    absl::StrAppend(&words, ", also in ", cause.other_targets,
                    cause.other_targets == 1 ? " other test" : " other tests");
  }
  return words;
}

std::string GateHeadline(const GateResult& gate) {
  if (gate.conclusion == GateResult::Conclusion::kNothingToCompare) {
    return "no baseline: nothing to compare with yet";
  }
  size_t failing = 0, acknowledged = 0;
  for (const GatedCause& cause : GatedCauses(gate)) {
    ++(cause.shown->acknowledged.has_value() ? acknowledged : failing);
  }
  std::string line = failing == 0 ? "no change fails the check"
                                  : absl::StrCat(Changes(failing),
                                                 failing == 1 ? " fails" : " fail", " the check");
  if (acknowledged > 0) absl::StrAppend(&line, ", ", acknowledged, " acknowledged");
  if (gate.unconfirmed > 0) absl::StrAppend(&line, ", ", gate.unconfirmed, " unconfirmed");
  if (!gate.not_compared.empty()) {
    absl::StrAppend(&line, ", ", NotComparedWords(gate.not_compared.size(), gate.tests));
  }
  if (gate.unsampled > 0) {
    absl::StrAppend(&line, ", ", gate.unsampled, " cannot be judged: no CPU was sampled");
  }
  return line;
}

std::string CheckTitle(const GateResult& gate) {
  const std::string more = RerunWords(gate.reruns);
  return absl::StrCat(GateHeadline(gate), more.empty() ? "" : "; ", more, more.empty() ? "" : ": ",
                      more.empty() ? "" : gate.rerun_command);
}

namespace {

// Limits of the store.
constexpr size_t kMaxNameBytes = 1000;

// A name within the store's limits.
std::string CutName(const std::string& name) {
  const std::string printable = base::Printable(name);
  return printable.size() <= kMaxNameBytes ? printable
                                           : base::Shortened(printable, kMaxNameBytes / 4);
}

}  // namespace

store::GatedRecord MakeGatedRecord(const store::RunRecord& run, const std::string& rule,
                                   const std::string& target, const std::string& function,
                                   const std::string& function_display) {
  return {run.project,       run.pull_request,          rule,  CutName(target),
          CutName(function), CutName(function_display), run.id};
}

std::vector<RuleStats> MeasureRules(
    const std::vector<store::GatedRecord>& gated,
    const std::vector<store::AcknowledgementRecord>& acknowledgements) {
  std::map<std::string, RuleStats> rules;
  std::set<std::tuple<std::string, std::string, std::string, std::string>> seen;
  for (const store::GatedRecord& record : gated) {
    if (!seen.emplace(record.rule, record.pull_request, record.target, record.function).second) {
      continue;
    }
    RuleStats& stats = rules[record.rule];
    stats.rule = record.rule;
    ++stats.gated;
    bool accepted = false, wrong = false;
    for (const store::AcknowledgementRecord& said : acknowledgements) {
      if (!said.pull_request.empty() && said.pull_request != record.pull_request) continue;
      if (!Covers(said, record.function, record.function_display, record.target)) continue;
      (said.not_a_regression ? wrong : accepted) = true;
    }
    if (wrong) {
      ++stats.not_a_regression;
    } else if (accepted) {
      ++stats.acknowledged;
    }
  }
  std::vector<RuleStats> list;
  for (const auto& [name, stats] : rules) list.push_back(stats);
  return list;
}

}  // namespace gprofhub::reporter
