#include "reporter/posting/posting.h"

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/hash.h"
#include "base/text.h"
#include "reporter/findings/diff_lines.h"
#include "reporter/findings/findings.h"
#include "reporter/findings/function_rows.h"
#include "reporter/findings/text.h"
#include "reporter/forge/rest.h"
#include "reporter/gate/policy.h"
#include "reporter/rendering/markdown.h"
#include "reporter/rendering/row_words.h"

namespace gprofhub::reporter {

namespace {

constexpr size_t kShownOwners = 3;
constexpr size_t kShownCharacters = 40;
constexpr size_t kMaxMention = 50;

bool IsName(absl::string_view part) {
  return !part.empty() && absl::ascii_isalnum(part.front()) && absl::ascii_isalnum(part.back()) &&
         std::all_of(part.begin(), part.end(), [](char c) {
           return absl::ascii_isalnum(c) || c == '-' || c == '_' || c == '.';
         });
}

std::string Shown(absl::string_view owner, OwnerStyle style) {
  if (style == OwnerStyle::kMention && CanBeMentioned(owner)) return std::string(owner);
  if (owner.size() > 1) absl::ConsumePrefix(&owner, "@");
  return style == OwnerStyle::kText ? base::Shortened(base::Printable(owner), kShownCharacters)
                                    : MarkdownCode(owner, /*in_table=*/false, kShownCharacters);
}

}  // namespace

bool CanBeMentioned(absl::string_view owner) {
  if (owner.size() > kMaxMention || !absl::ConsumePrefix(&owner, "@")) return false;
  for (const char* everybody : {"all", "everyone", "here", "channel"}) {
    if (absl::AsciiStrToLower(owner) == everybody) return false;
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(owner, '/');
  return std::all_of(parts.begin(), parts.end(), IsName);
}

std::string OwnerList(const std::vector<std::string>& owners, OwnerStyle style) {
  if (owners.empty()) return "";
  std::vector<std::string> shown;
  for (size_t i = 0; i < owners.size() && i < kShownOwners; ++i) {
    shown.push_back(Shown(owners[i], style));
  }
  std::string words = absl::StrJoin(shown, ", ");
  if (owners.size() > kShownOwners) {
    absl::StrAppend(&words, " and ", owners.size() - kShownOwners, " more");
  }
  return words;
}

namespace {

constexpr size_t kListedGated = 3;
// Maximum number of changes for which owners are listed.
constexpr size_t kAskedAbout = 20;
constexpr size_t kCodeCharacters = 60;
constexpr size_t kWordCharacters = 40;
constexpr size_t kReasonBytes = 160;

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
      return absl::StrCat(
          who, ", but the CI job could not be started: ",
          Code(ShortenedAtEnd(ReasonOf(request.note), kReasonBytes), kReasonBytes + 1),
          ". By hand: ", list, ".");
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

namespace {

constexpr absl::string_view kStateStart = "<!-- gprofhub-state: ";
constexpr absl::string_view kHiddenEnd = " -->";
constexpr size_t kShortCommit = 12;
// Limit of check runs and their annotations.
constexpr size_t kMaxSummary = 65000;
constexpr size_t kMostAuthor = 40;  // characters
constexpr size_t kMaxAnnotations = 100;

constexpr std::pair<PostingState, absl::string_view> kStates[] = {
    {PostingState::kNoChange, "no-change"},
    {PostingState::kChanged, "changed"},
    {PostingState::kRegressed, "regressed"},
};

std::string NoChangeLine(const v1::Report& report, const Judgement& judgement,
                         const PostingInput& input) {
  const bool markdown = input.traits.markdown;
  const auto quote = [markdown](const std::string& text) {
    return markdown ? MarkdownCode(text, false) : base::Printable(text);
  };
  const v1::Compared& compared = report.compared();
  const std::string nothing = NothingComparedWords(compared);
  std::string line =
      absl::StrCat("gprofhub: ",
                   !compared.has_base() ? "no baseline: nothing to compare with yet for "
                   : nothing.empty()    ? "no significant change in "
                                        : absl::StrCat(nothing, " in "),
                   quote(input.commit.substr(0, kShortCommit)));
  const std::string& base = compared.base().commit();
  if (!base.empty())
    absl::StrAppend(&line, ", compared with ", quote(base.substr(0, kShortCommit)));
  const std::string left_out = NotComparedWords(compared);
  if (nothing.empty() && !left_out.empty()) absl::StrAppend(&line, "; ", left_out);
  line += ".\n";
  for (const auto& [reason, targets] : NotComparedByReason(compared)) {
    const size_t others = targets.size() - 1;
    absl::StrAppend(&line, "\nNot compared: ", quote(targets.front()),
                    others > 0 ? absl::StrCat(" and ", others, " more") : "", ": ", quote(reason),
                    "\n");
  }
  const std::string asked = judgement.RerunAsked();
  if (!asked.empty()) absl::StrAppend(&line, "\n", asked, "\n");
  return line;
}

// `text` truncated at a line end to at most `max_bytes`.
std::string CutAtLine(std::string text, size_t max_bytes) {
  constexpr absl::string_view kNote = "…\n";
  if (text.size() <= max_bytes) return text;
  text.resize(max_bytes - std::min(max_bytes, kNote.size()));
  const size_t end = text.rfind('\n');
  text.resize(end == std::string::npos ? 0 : end + 1);
  return absl::StrCat(text, kNote);
}

// Images, in the order of the causes. Names appear in the pictures only.
std::string PicturesOf(const std::vector<const FunctionRow*>& shown, const PostingInput& input) {
  std::string pictures;
  if (input.picture_url == nullptr) return pictures;
  for (size_t i = 0; i < shown.size(); ++i) {
    const std::string url = input.picture_url(MainFinding(*shown[i]));
    if (!IsPlainUrl(url)) continue;
    absl::StrAppend(&pictures, "![The trend of cause ", i + 1, "](", url, ")\n");
  }
  return pictures;
}

std::string Body(const v1::Report& report, const Judgement& judgement, const PostingInput& input,
                 const StateLine& about, size_t max_bytes) {
  const std::string marker = CommentMarker(input.project);
  const std::string state = absl::StrCat(ToString(about), "\n");
  if (about.state == PostingState::kNoChange) {
    return absl::StrCat(marker, "\n", state, NoChangeLine(report, judgement, input));
  }
  if (!input.traits.markdown) {
    const std::string closing = judgement.Closing({});
    const size_t room = max_bytes - std::min(max_bytes, state.size() + closing.size());
    const std::string head = absl::StrCat(marker, "\n", state);
    return absl::StrCat(head, CutAtLine(RenderText(report, {}), room - std::min(room, head.size())),
                        closing);
  }
  MarkdownOptions options;
  options.project = input.project;
  options.max_bytes = max_bytes - std::min(max_bytes, state.size());
  options.remark = [&](const FunctionRow& row) { return judgement.Remark(row); };
  options.closing = [&](const auto& shown) { return judgement.Closing(shown); };
  options.pictures = [&](const auto& shown) { return PicturesOf(shown, input); };
  options.only_screen = IsPlainUrl(input.page_url);
  const std::string markdown = RenderMarkdown(report, options);
  const size_t first_line = markdown.find('\n') + 1;
  return absl::StrCat(markdown.substr(0, first_line), state, markdown.substr(first_line));
}

// Annotations in changed lines come first.
std::vector<Annotation> Annotations(const GateResult& gate) {
  std::vector<Annotation> annotations;
  std::set<std::pair<std::string, uint32_t>> places;
  for (const bool in_diff : {true, false}) {
    for (const GatedFinding& gated : gate.gated) {
      const v1::Finding& finding = *gated.finding;
      if (finding.in_diff() != in_diff || gated.acknowledged.has_value() ||
          finding.site().line() == 0 || !IsRepositoryPath(finding.site().file()) ||
          annotations.size() == kMaxAnnotations ||
          !places.emplace(finding.site().file(), finding.site().line()).second) {
        continue;
      }
      annotations.push_back({finding.site().file(), finding.site().line(),
                             absl::StrCat("gprofhub: ", base::Printable(gated.rule)),
                             DescribeFinding(finding)});
    }
  }
  return annotations;
}

Check::Conclusion ConclusionOf(const GateResult& gate) {
  switch (gate.conclusion) {
    case GateResult::Conclusion::kPass:
      return Check::Conclusion::kSuccess;
    case GateResult::Conclusion::kFail:
      return Check::Conclusion::kFailure;
    case GateResult::Conclusion::kNothingToCompare:
    case GateResult::Conclusion::kIncomplete:
      return Check::Conclusion::kNeutral;
  }
  return Check::Conclusion::kNeutral;
}

}  // namespace

std::string ToString(const StateLine& line) {
  for (const auto& [state, name] : kStates) {
    if (state == line.state) {
      return absl::StrCat(kStateStart, name, " ", line.run_id, " ", line.commit, kHiddenEnd);
    }
  }
  return "";
}

StateLine ReadStateLine(absl::string_view body) {
  StateLine line;
  const size_t first_end = body.find('\n');
  if (first_end == absl::string_view::npos) return line;
  body.remove_prefix(first_end + 1);
  absl::string_view text = absl::StripTrailingAsciiWhitespace(body.substr(0, body.find('\n')));
  if (!absl::ConsumePrefix(&text, kStateStart) || !absl::ConsumeSuffix(&text, kHiddenEnd)) {
    return line;
  }
  const std::vector<std::string> words = absl::StrSplit(text, ' ');
  if (words.size() != 3 || !absl::SimpleAtoi(words[1], &line.run_id)) return StateLine();
  for (const auto& [state, name] : kStates) {
    if (words[0] == name) line.state = state;
  }
  line.commit = words[2];
  return line;
}

std::string VisibleText(absl::string_view body) {
  while (absl::StartsWith(body, "<!--")) {
    const size_t end = body.find('\n');
    body.remove_prefix(end == absl::string_view::npos ? body.size() : end + 1);
  }
  return std::string(absl::StripAsciiWhitespace(body));
}

std::string MissingLine(const Refusals& refusals, bool markdown) {
  constexpr size_t kListed = 4, kBytes = 100;
  if (refusals.empty()) return "";
  std::vector<std::string> parts;
  for (const Refusals::Refusal& refusal : refusals.list()) {
    if (parts.size() == kListed) break;
    const std::string reason = ShortenedAtEnd(ReasonOf(refusal.error), kBytes);
    const std::string part = base::Printable(refusal.part);
    parts.push_back(absl::StrCat(
        markdown ? MarkdownCode(part, false, kBytes) : base::Shortened(part, kBytes), " (",
        markdown ? MarkdownCode(reason, false, kBytes + 1) : base::Printable(reason), ")"));
  }
  const size_t others = refusals.list().size() - parts.size();
  return absl::StrCat("\nRefused by the forge: ", absl::StrJoin(parts, ", "),
                      others > 0 ? absl::StrCat(" and ", others, " more") : "", ".\n");
}

std::string DescribeFinding(const v1::Finding& finding) {
  const auto name = [](const std::string& display, const std::string& linkage) {
    return FunctionName(display.empty() ? linkage : display);
  };
  const std::string function = name(finding.function_display(), finding.function());
  std::string text;
  switch (finding.metric()) {
    case v1::Finding::CALLS: {
      const std::string caller = name(finding.caller_display(), finding.caller());
      if (CountsBytes(finding)) {
        const bool peak = CountsPeakBytes(finding);
        text = absl::StrCat(finding.caller().empty() ? "the program" : caller,
                            peak ? " holds " : " allocates ", HumanCount(finding.after()), " bytes",
                            peak ? " at the peak" : "", ", was ", HumanCount(finding.before()));
        break;
      }
      const std::string counts =
          absl::StrCat(HumanCount(finding.after()), "×, was ", HumanCount(finding.before()));
      text = finding.caller().empty() ? absl::StrCat(function, " is called ", counts)
                                      : absl::StrCat(caller, " calls ", function, " ", counts);
      break;
    }
    case v1::Finding::INSTRUCTIONS:
    case v1::Finding::EVENT_INSTRUCTIONS:
      text = absl::StrCat(function, " executes ", HumanCount(finding.after()),
                          " instructions, was ", HumanCount(finding.before()));
      break;
    default:
      text = absl::StrCat(function, " takes ", HumanTime(finding.after(), "seconds"), ", was ",
                          HumanTime(finding.before(), "seconds"));
  }
  if (finding.before() > 0)
    absl::StrAppend(&text, " (", HumanEffect(finding.effect_percent()), ")");
  return absl::StrCat(text, ", ", ShareWords(RowOfFinding(finding)), ", in ",
                      base::Shortened(base::Printable(finding.target()), 120));
}

bool IsRepositoryPath(absl::string_view path) {
  if (path.empty() || path.size() > 500 || path[0] == '/') return false;
  if (base::Printable(path) != path) return false;
  for (absl::string_view part : absl::StrSplit(path, '/')) {
    if (part.empty() || part == "." || part == "..") return false;
  }
  return true;
}

Posting ComposePosting(const v1::Report& report, const GateResult& gate, const Policy& policy,
                       const PostingInput& input) {
  Posting posting;
  posting.marker = CommentMarker(input.project);
  posting.about.state = gate.conclusion == GateResult::Conclusion::kFail ? PostingState::kRegressed
                        : !gate.gated.empty() || HasMaterialChange(report, policy)
                            ? PostingState::kChanged
                            : PostingState::kNoChange;
  posting.about.run_id = input.run_id;
  posting.about.commit = input.commit;
  const Judgement judgement(report, gate, policy, input);
  const size_t most = input.traits.max_comment_bytes;
  posting.body =
      Body(report, judgement, input, posting.about, most - std::min(most, kMissingBytes));
  posting.check.conclusion = ConclusionOf(gate);
  posting.check.title = CheckTitle(gate);
  if (input.rerun.has_value()) {
    absl::StrAppend(&posting.check.title, "; rerun asked for by ",
                    base::Shortened(base::Printable(input.rerun->author), kMostAuthor));
  }
  posting.check.summary = posting.body.size() <= kMaxSummary
                              ? posting.body
                              : Body(report, judgement, input, posting.about, kMaxSummary);
  posting.check.annotations = Annotations(gate);
  posting.check.key =
      absl::StrCat(input.run_id, "-", base::Sha256Hex(posting.check.summary).substr(0, 16));
  return posting;
}

namespace {

// Of a part's name. Configurations are made by Bazel and are shorter.
constexpr size_t kMostPartName = 100;

std::string NameOf(const PostingPart& part, bool markdown) {
  std::string name = base::Shortened(base::Printable(part.name), kMostPartName);
  return markdown ? MarkdownCode(name, false) : name;
}

std::string NamesOf(const std::vector<PostingPart>& parts, bool markdown, size_t count) {
  std::vector<std::string> names;
  for (size_t i = 0; i < count; ++i) names.push_back(NameOf(parts[i], markdown));
  return absl::StrJoin(names, ", ");
}

// How grave it is: checks fail on a failure of any part, and a part without a result leaves the
// whole without one.
int Gravity(Check::Conclusion conclusion) {
  switch (conclusion) {
    case Check::Conclusion::kFailure:
      return 2;
    case Check::Conclusion::kNeutral:
      return 1;
    case Check::Conclusion::kSuccess:
      return 0;
  }
  return 0;
}

std::string JoinedBody(const std::vector<PostingPart>& parts, size_t failing,
                       const ForgeTraits& traits) {
  const size_t all = parts.size();
  std::string body = absl::StrCat(
      "gprofhub: ",
      failing > 0
          ? absl::StrCat(failing, " of ", all, failing == 1 ? " parts fails: " : " parts fail: ",
                         NamesOf(parts, traits.markdown, failing))
          : absl::StrCat("none of ", all, " parts fails: ", NamesOf(parts, traits.markdown, all)));
  body = traits.markdown ? absl::StrCat("**", body, "**\n") : absl::StrCat(body, "\n");
  for (const PostingPart& part : parts) {
    absl::StrAppend(&body, "\n", traits.markdown ? "### " : "", NameOf(part, traits.markdown),
                    traits.markdown ? "" : ":", "\n\n", VisibleText(part.posting.body), "\n");
  }
  return body;
}

}  // namespace

Posting JoinPostings(std::vector<PostingPart> parts, const ForgeTraits& traits) {
  if (parts.size() == 1) return std::move(parts.front().posting);
  std::stable_sort(parts.begin(), parts.end(), [](const PostingPart& a, const PostingPart& b) {
    return Gravity(a.posting.check.conclusion) > Gravity(b.posting.check.conclusion);
  });
  const PostingPart& worst = parts.front();
  Posting joined;
  joined.marker = worst.posting.marker;
  joined.about = worst.posting.about;
  joined.check.conclusion = worst.posting.check.conclusion;
  size_t failing = 0;
  for (const PostingPart& part : parts) {
    joined.about.state = std::max(joined.about.state, part.posting.about.state);
    joined.about.run_id = std::max(joined.about.run_id, part.posting.about.run_id);
    failing += part.posting.check.conclusion == Check::Conclusion::kFailure ? 1 : 0;
    for (const Annotation& annotation : part.posting.check.annotations) {
      if (joined.check.annotations.size() < kMaxAnnotations) {
        joined.check.annotations.push_back(annotation);
      }
    }
  }
  // Plain text without a change is one line, by which such a comment is recognised.
  const std::string text =
      joined.about.state == PostingState::kNoChange && !traits.markdown
          ? absl::StrCat("gprofhub: no significant change in ",
                         worst.posting.about.commit.substr(0, kShortCommit), ": ",
                         NamesOf(parts, /*markdown=*/false, parts.size()), ".\n")
          : JoinedBody(parts, failing, traits);
  const size_t most = traits.max_comment_bytes;
  joined.body = CutAtLine(absl::StrCat(joined.marker, "\n", ToString(joined.about), "\n", text),
                          most - std::min(most, kMissingBytes));
  joined.check.summary = CutAtLine(joined.body, kMaxSummary);
  joined.check.title =
      absl::StrCat(NameOf(worst, /*markdown=*/false), ": ", worst.posting.check.title);
  if (failing > 1) absl::StrAppend(&joined.check.title, "; ", failing - 1, " more fail");
  joined.check.key =
      absl::StrCat(joined.about.run_id, "-", base::Sha256Hex(joined.check.summary).substr(0, 16));
  return joined;
}

std::string RenderCodeQuality(const GateResult& gate) {
  nlohmann::json list = nlohmann::json::array();
  for (const GatedFinding& gated : gate.gated) {
    const v1::Finding& finding = *gated.finding;
    if (gated.acknowledged.has_value() || finding.site().line() == 0 ||
        !IsRepositoryPath(finding.site().file())) {
      continue;
    }
    const std::string identity =
        absl::StrCat(gated.rule, "\n", finding.target(), "\n", finding.function(), "\n",
                     finding.caller(), "\n", static_cast<int>(finding.metric()));
    list.push_back(
        {{"type", "issue"},
         {"check_name", absl::StrCat("gprofhub/", gated.rule)},
         {"description", DescribeFinding(finding)},
         {"fingerprint", base::Sha256Hex(identity)},
         {"severity", "major"},
         {"location",
          {{"path", finding.site().file()}, {"lines", {{"begin", finding.site().line()}}}}}});
  }
  return list.dump(2, ' ', true, nlohmann::json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::reporter
