#include "reporter/posting/judgement.h"

#include <algorithm>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/printable.h"
#include "reporter/findings/causes.h"
#include "reporter/policy/owners.h"
#include "reporter/posting/owner_words.h"
#include "reporter/text/function_name.h"
#include "reporter/text/markdown_code.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kListedGated = 3;
// Maximum number of changes for which owners are listed.
constexpr size_t kAskedAbout = 20;
constexpr size_t kCodeCharacters = 60;
constexpr size_t kWordCharacters = 40;
constexpr size_t kReasonCharacters = 80;

bool Fails(const GatedCause& cause) { return !cause.shown->acknowledged.has_value(); }

}  // namespace

bool IsPlainUrl(absl::string_view url) {
  return (absl::StartsWith(url, "https://") || absl::StartsWith(url, "http://")) &&
         url.size() < 1000 && std::all_of(url.begin(), url.end(), [](char c) {
           return absl::ascii_isalnum(c) || absl::StrContains("-._~/:#?=&%+", c);
         });
}

Judgement::Judgement(const v1::Report& report, const GateResult& gate, const Policy& policy,
                     const PostingInput& input)
    : gate_(gate), policy_(policy), input_(input), gated_(GatedCauses(gate)) {
  const std::vector<size_t> causes = CausesOf(report);
  for (int i = 0; i < report.findings_size(); ++i) {
    causes_.emplace(&report.findings(i), causes[static_cast<size_t>(i)]);
  }
  for (const GatedCause& gated : gated_) gated_by_cause_.emplace(gated.shown->cause, &gated);
}

// Status of a cause: failure, acknowledgement, owners.
std::string Judgement::Remark(const FunctionRow& row) const {
  const GatedCause* const gated = GatedOf(row);
  std::vector<std::string> sentences;
  if (gated != nullptr) sentences.push_back(absl::StrCat(GatedWords(*gated->shown), "."));
  const bool fails = gated != nullptr && Fails(*gated);
  const std::string owners = Owners({&MainFinding(row)}, fails);
  if (!owners.empty()) sentences.push_back(absl::StrCat("Owners: ", owners, "."));
  return absl::StrJoin(sentences, " ");
}

// The text below the shown causes: why the check fails, how to accept the changes, and where the
// full report is.
std::string Judgement::Closing(const std::vector<const FunctionRow*>& shown) const {
  std::string out;
  if (!gate_.gated.empty()) {
    absl::StrAppend(&out, "\n", Strong(absl::StrCat("Check: ", GateHeadline(gate_), ".")),
                    OthersThatFail(shown), "\n");
  }
  out += "\n";
  if (gate_.conclusion == GateResult::Conclusion::kFail) {
    absl::StrAppend(&out, "To accept one, comment ",
                    Code("/gprofhub ack FUNCTION reason", kCodeCharacters), "; if it is none, ",
                    Code("/gprofhub not-a-regression FUNCTION reason", kCodeCharacters), ". ");
  }
  const std::string asked = RerunAsked();
  if (!asked.empty()) {
    absl::StrAppend(&out, asked, " ");
  } else if (gate_.reruns.tests > 0 && input_.traits.markdown) {
    absl::StrAppend(&out, "To run again what more runs would decide, comment ",
                    Code("/gprofhub rerun", kCodeCharacters), ". ");
  }
  return absl::StrCat(out, InFull(), "\n");
}

std::string Judgement::RerunAsked() const {
  using Start = store::RerunRequestRecord::Start;
  if (!input_.rerun.has_value()) return "";
  const store::RerunRequestRecord& request = *input_.rerun;
  const std::string who = absl::StrCat(Code(request.author, kWordCharacters), " asked for a rerun");
  if (gate_.reruns.tests == 0) return absl::StrCat(who, ": more runs would decide no test.");
  const std::string list = Code(gate_.rerun_command, kCodeCharacters);
  switch (request.start) {
    case Start::kStarted:
      return absl::StrCat(who, ": the CI job ",
                          input_.traits.markdown && IsPlainUrl(request.note)
                              ? absl::StrCat("[was started again](", request.note, ")")
                              : "was started again",
                          ".");
    case Start::kFailed:
      return absl::StrCat(who, ", but the CI job could not be started: ",
                          Code(request.note, kReasonCharacters), ". By hand: ", list, ".");
    case Start::kNotTried:
      break;
  }
  return policy_.rerun_job.empty()
             ? absl::StrCat(who, ": start the CI job again, and it runs no more than ", list,
                            " says.")
             : absl::StrCat(who, ": the CI job is started again as soon as it has ended.");
}

std::string Judgement::Code(absl::string_view text, size_t most) const {
  return input_.traits.markdown ? MarkdownCode(text, false, most)
                                : base::Shortened(base::Printable(text), most);
}
std::string Judgement::Strong(const std::string& text) const {
  return input_.traits.markdown ? absl::StrCat("**", text, "**") : text;
}

const GatedCause* Judgement::GatedOf(const FunctionRow& row) const {
  const auto cause = causes_.find(row.first);
  if (cause == causes_.end()) return nullptr;
  const auto gated = gated_by_cause_.find(cause->second);
  return gated == gated_by_cause_.end() ? nullptr : gated->second;
}

std::string Judgement::GatedWords(const GatedFinding& gated) const {
  if (!gated.acknowledged.has_value()) {
    return absl::StrCat(Strong("Fails the check"), ", rule ", Code(gated.rule, kWordCharacters));
  }
  return absl::StrCat(
      Code(gated.acknowledged->author, kWordCharacters), " says ",
      gated.acknowledged->not_a_regression ? "it is no regression: " : "it is accepted: ",
      Code(gated.acknowledged->reason, kCodeCharacters));
}

// The owners of all the findings, without duplicates. Owners of failures are mentioned.
std::string Judgement::Owners(const std::vector<const v1::Finding*>& findings, bool fails) const {
  std::vector<std::string> owners;
  for (const v1::Finding* finding : findings) {
    for (const std::string& owner : OwnersOf(policy_, input_.code_owners, *finding)) {
      if (std::find(owners.begin(), owners.end(), owner) == owners.end()) owners.push_back(owner);
    }
  }
  return OwnerList(owners, !input_.traits.markdown ? OwnerStyle::kText
                           : fails                 ? OwnerStyle::kMention
                                                   : OwnerStyle::kMarkdown);
}

// The failing causes without a remark of their own.
std::string Judgement::OthersThatFail(const std::vector<const FunctionRow*>& shown) const {
  std::set<const GatedCause*> is_shown;
  for (const FunctionRow* row : shown) is_shown.insert(GatedOf(*row));
  std::vector<const v1::Finding*> failing;
  for (const GatedCause& gated : gated_) {
    if (Fails(gated) && !is_shown.contains(&gated)) failing.push_back(gated.shown->finding);
  }
  if (failing.empty()) return "";
  std::vector<std::string> names;
  for (size_t i = 0; i < failing.size() && i < kListedGated; ++i) {
    const std::string& display = failing[i]->function_display();
    const std::string& name = display.empty() ? failing[i]->function() : display;
    names.push_back(input_.traits.markdown ? FunctionCode(name, false) : FunctionName(name));
  }
  std::string words =
      absl::StrCat(shown.empty() ? " Fails: " : " Fails, too: ", absl::StrJoin(names, ", "));
  if (failing.size() > kListedGated) {
    absl::StrAppend(&words, " and ", failing.size() - kListedGated, " more");
  }
  failing.resize(std::min(failing.size(), kAskedAbout));
  const std::string owners = Owners(failing, /*fails=*/true);
  return absl::StrCat(words, owners.empty() ? "" : "; owners: ", owners, ".");
}

std::string Judgement::InFull() const {
  const std::string command =
      Code(absl::StrCat("gprofhub report ", input_.run_id, " --all"), kCodeCharacters);
  const std::string explain =
      Code(absl::StrCat("gprofhub explain FINDING ", input_.run_id), kCodeCharacters);
  if (input_.traits.markdown && IsPlainUrl(input_.page_url)) {
    return absl::StrCat("In full: [the report](", input_.page_url, ") or ", command,
                        "; one of them: ", explain, ".");
  }
  if (input_.traits.markdown && IsPlainUrl(input_.checks_url)) {
    return absl::StrCat("In full: ", command, " or the [checks](", input_.checks_url,
                        "); one of them: ", explain, ".");
  }
  return absl::StrCat("In full: ", command, "; one of them: ", explain);
}

}  // namespace gprofhub::reporter
