// Counts decide, as they repeat on any machine. Let b and h be the finding's calls at base and
// head, and n those of the new runs. The part of the change that is left is
//
//   left = (n + moved - b) / (h - b)
//
// A repair may only move the calls to another caller. `moved` are the calls from all other callers
// beyond those of either side. Another edit may add a call or two, so a rest that does not matter
// is no rest: up to 5% of the change, if it is less than the share of CPU that matters. Counts that
// vary are taken at their median, and a tenth is no rest.
//
// A count says nothing where the function is not there: it may have another name, or be inlined.
// Nor where another compiler made other decisions about inlining.
//
// A finding about time has no count that repeats, and a run on a laptop proves nothing about time.
// But its code may be that of the base again, or still that of the head: digests show it.
#include "cli/verify/verify.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/median.h"
#include "base/text.h"
#include "cli/bisect/bisect.h"
#include "cli/bisect/result_text.h"
#include "cli/bisect/test_run.h"
#include "profile/demangle.h"
#include "profile/names.h"
#include "reporter/comparison/pair_call_sites.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/text.h"

namespace gprofhub::cli {

namespace {

using Json = nlohmann::json;
using OrderedJson = nlohmann::ordered_json;
using Profiles = std::vector<profile::ComputedProfile>;

void ReadSide(const Json& json, v1::Explanation::Side& side) {
  side.set_calls(json.at("calls").get<double>());
  side.set_code(json.at("code").get<uint32_t>());
  for (const Json& code : json.at("edited_code")) side.add_edited_code(code.get<uint32_t>());
  side.set_toolchain(json.at("toolchain").get<std::string>());
}

}  // namespace

absl::StatusOr<v1::Explanation> ReadFindingJson(absl::string_view text, absl::string_view name) {
  v1::Explanation explanation;
  // The library's exceptions stop here.
  try {
    const Json json = Json::parse(text);
    const Json& finding = json.at("finding");
    *explanation.mutable_finding() = FindingOfJson(finding);
    explanation.mutable_finding()->set_exact(finding.at("exact").get<bool>());
    // Without samples a change has a share of the calls instead.
    const Json& share = finding.at("impact");
    explanation.mutable_finding()->set_impact(
        (share.is_null() ? finding.at("share_of_calls") : share).get<double>());
    for (const Json& name : finding.at("edited")) {
      explanation.mutable_finding()->add_edited(name.get<std::string>());
    }
    explanation.set_configuration(json.at("configuration").get<std::string>());
    ReadSide(json.at("base"), *explanation.mutable_base());
    ReadSide(json.at("head"), *explanation.mutable_head());
  } catch (const Json::exception& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(name, ": not a finding of `gprofhub get`: ", error.what()));
  }
  return explanation;
}

namespace {

// Rests of a change that do not matter.
constexpr double kSmallRest = 0.05;
constexpr double kSmallRestOfVarying = 0.1;

bool IsInlined(const profile::ComputedProfile& profile, absl::string_view function,
               absl::string_view caller) {
  const uint32_t hash = profile::NameHash(function);
  const std::vector<uint32_t> callers = RowsOf(profile, caller);
  return std::any_of(
      profile.inlined.begin(), profile.inlined.end(), [&](const profile::InlinedCost& one) {
        return one.name == hash &&
               (caller.empty() || std::binary_search(callers.begin(), callers.end(), one.function));
      });
}

// Digest of the function's code in the runs, as in Explanation::Side.
uint32_t CodeOf(const Profiles& profiles, absl::string_view function) {
  std::set<uint32_t> codes;
  for (const profile::ComputedProfile& profile : profiles) {
    for (const uint32_t row : RowsOf(profile, function, profile::CloneKinds::kCopies)) {
      codes.insert(profile.functions[row].code);
    }
  }
  return codes.size() == 1 ? *codes.begin() : 0;
}

// A toolchain of the function that differs from the finding's; empty without one.
std::string OtherToolchain(const Profiles& profiles, absl::string_view function,
                           const std::string& known) {
  for (const profile::ComputedProfile& profile : profiles) {
    for (const uint32_t row : RowsOf(profile, function)) {
      const absl::string_view toolchain = profile.strings[profile.functions[row].toolchain];
      if (reporter::DifferentToolchains(known, toolchain)) return std::string(toolchain);
    }
  }
  return "";
}

std::string Name(absl::string_view function) {
  return reporter::FunctionName(profile::Demangle(function));
}

Verification CannotCompare(std::string reason) {
  return {Answer::kCannotCompare, std::move(reason), {}, 0};
}

struct Edited {
  std::string function;
  uint32_t base = 0, head = 0;  // digests; 0: it did not run
};

// The functions whose code is known to differ between base and head, the finding's first.
std::vector<Edited> EditedOf(const v1::Explanation& finding) {
  const v1::Explanation::Side &base = finding.base(), &head = finding.head();
  std::vector<Edited> edited;
  const bool is_known =
      (base.code() != 0 || base.calls() == 0) && (head.code() != 0 || head.calls() == 0);
  if (is_known && base.code() != head.code()) {
    edited.push_back({finding.finding().function(), base.code(), head.code()});
  }
  const int count =
      std::min({finding.finding().edited_size(), base.edited_code_size(), head.edited_code_size()});
  for (int i = 0; i < count; ++i) {
    const uint32_t before = base.edited_code(i), after = head.edited_code(i);
    if (before == 0 || after == 0 || before == after) continue;
    edited.push_back({finding.finding().edited(i), before, after});
  }
  return edited;
}

// Whether the function has this digest, or did not run and the digest is 0.
bool HasCode(const Profiles& now, const std::string& function, uint32_t code) {
  if (code != 0) return CodeOf(now, function) == code;
  return std::all_of(now.begin(), now.end(), [&](const profile::ComputedProfile& profile) {
    return RowsOf(profile, function).empty();
  });
}

Verification VerifyCode(const v1::Explanation& finding, const Profiles& now) {
  const v1::Finding& about = finding.finding();
  const std::vector<Edited> edited = EditedOf(finding);
  bool as_base = !edited.empty(), as_head = !edited.empty();
  for (const Edited& one : edited) {
    as_base = as_base && HasCode(now, one.function, one.base);
    as_head = as_head && HasCode(now, one.function, one.head);
  }
  const std::string names = absl::StrJoin(edited, ", ", [](std::string* out, const Edited& one) {
    absl::StrAppend(out, Name(one.function));
  });
  if (as_base)
    return {Answer::kFixed, absl::StrCat("the code of ", names, " is the base's"), {}, 0};
  if (as_head) {
    return {Answer::kNotFixed, absl::StrCat("the code of ", names, " is the head's"), {}, 1};
  }
  const std::string quantity = absl::StrReplaceAll(
      absl::AsciiStrToLower(v1::Finding::Metric_Name(about.metric())), {{"_", " "}});
  return CannotCompare(absl::StrCat("the finding is about the ", quantity, " of ",
                                    Name(about.function()),
                                    ", which one run does not decide; compare several runs with "
                                    "`gprofhub diff`"));
}

// Why a count of `count` shows nothing; empty if it does.
std::string Obstacle(const v1::Finding& finding, const Profiles& now, double count) {
  if (count >= finding.before() && count > 0) return "";
  for (const profile::ComputedProfile& profile : now) {
    if (IsInlined(profile, finding.function(), finding.caller())) {
      return absl::StrCat(Name(finding.function()), " is inlined in this build");
    }
    if (finding.before() <= 0) continue;
    for (const std::string& function : {finding.function(), finding.caller()}) {
      if (function.empty() || function == profile::kSpontaneousName) continue;
      if (!RowsOf(profile, function).empty()) continue;
      return absl::StrCat(Name(function), " did not run; it may have another name, or be inlined");
    }
  }
  return "";
}

Answer AnswerOf(const v1::Finding& finding, double left, bool varies) {
  const double share = finding.has_share_of_calls() ? finding.share_of_calls() : finding.impact();
  const bool is_small = varies ? left <= kSmallRestOfVarying
                               : left <= kSmallRest && left * share < reporter::kLeastCpuShare;
  if (is_small) return Answer::kFixed;
  return left >= 1 - (varies ? kSmallRestOfVarying : kSmallRest) ? Answer::kNotFixed
                                                                 : Answer::kPartly;
}

}  // namespace

Verification Verify(const v1::Explanation& explanation, const Profiles& now) {
  const v1::Finding& finding = explanation.finding();
  if (finding.metric() != v1::Finding::CALLS) return VerifyCode(explanation, now);
  if (finding.after() <= finding.before()) {
    return CannotCompare("the finding has no more calls than its base: there is nothing to repair");
  }
  const std::string toolchain =
      OtherToolchain(now, finding.function(), explanation.head().toolchain());
  if (!toolchain.empty()) {
    return CannotCompare(absl::StrCat("built with ", toolchain, ", and the finding with ",
                                      explanation.head().toolchain()));
  }
  Verification verification;
  std::vector<double> others;
  for (const profile::ComputedProfile& profile : now) {
    const Question question = {finding.target(), finding.function(), finding.caller()};
    verification.now.push_back(CountCalls(profile, question));
    const double all = CountCalls(profile, {finding.target(), finding.function(), ""});
    others.push_back(all - verification.now.back());
  }
  const double count = base::Median(verification.now);
  verification.reason = Obstacle(finding, now, count);
  if (!verification.reason.empty()) return verification;
  const double most_others = std::max(explanation.base().calls() - finding.before(),
                                      explanation.head().calls() - finding.after());
  const double moved = finding.caller().empty()
                           ? 0
                           : std::max(0.0, base::Median(others) - std::max(0.0, most_others));
  verification.left = (count + moved - finding.before()) / (finding.after() - finding.before());
  const bool varies = !finding.exact() || Varies(verification.now);
  verification.answer = AnswerOf(finding, verification.left, varies);
  if (verification.answer != Answer::kFixed && moved > 0) {
    verification.reason = absl::StrCat("other callers make ", CountText(moved), " calls more");
  }
  return verification;
}

namespace {

const char* AnswerName(Answer answer) {
  switch (answer) {
    case Answer::kFixed:
      return "fixed";
    case Answer::kPartly:
      return "partly";
    case Answer::kNotFixed:
      return "not_fixed";
    case Answer::kCannotCompare:
      return "cannot_compare";
  }
  return "";
}

}  // namespace

std::string VerificationText(const v1::Explanation& explanation, const Verification& verification) {
  const v1::Finding& finding = explanation.finding();
  std::string line = AnswerName(verification.answer);
  std::replace(line.begin(), line.end(), '_', ' ');
  if (verification.now.empty() || verification.answer == Answer::kCannotCompare) {
    return base::Printable(absl::StrCat(line, ": ", verification.reason)) + "\n";
  }
  const std::string counts =
      absl::StrJoin(verification.now, ", ",
                    [](std::string* out, double count) { absl::StrAppend(out, CountText(count)); });
  absl::StrAppend(
      &line, ": ", Name(finding.function()),
      finding.caller().empty() ? "" : absl::StrCat(" called by ", Name(finding.caller())), ": ",
      counts, " calls; ", CountText(finding.before()), " at the base, ", CountText(finding.after()),
      " at the head");
  if (verification.answer == Answer::kPartly) {
    absl::StrAppend(&line, "; ", reporter::HumanShare(verification.left), " of the change is left");
  }
  if (!verification.reason.empty()) absl::StrAppend(&line, "; ", verification.reason);
  return base::Printable(line) + "\n";
}

OrderedJson VerificationJson(const v1::Explanation& explanation, const Verification& verification) {
  const v1::Finding& finding = explanation.finding();
  OrderedJson json = {{"schema", 1},
                      {"finding", reporter::FindingId(finding)},
                      {"target", finding.target()},
                      {"answer", AnswerName(verification.answer)},
                      {"before", finding.before()},
                      {"after", finding.after()},
                      {"now", verification.now}};
  const bool is_compared = verification.answer != Answer::kCannotCompare;
  json["left"] = is_compared ? OrderedJson(verification.left) : OrderedJson(nullptr);
  json["reason"] = verification.reason.empty() ? OrderedJson(nullptr)
                                               : OrderedJson(base::ToUtf8(verification.reason));
  return json;
}

}  // namespace gprofhub::cli
