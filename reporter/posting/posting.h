// The comment and the check about a run on its pull request.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/findings/function_rows.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gate.h"
#include "reporter/gate/policy.h"
#include "store/records/records.h"

namespace gprofhub::reporter {

// GitLab's Code Quality report. A CI job publishes it as the artifact "codequality", and the merge
// request shows its entries at the lines. The format:
// docs.gitlab.com/ee/ci/testing/code_quality.html, "Code Quality report format".

// A JSON list with an entry for each gated finding that is not acknowledged and whose call site is
// in the repository. A finding's fingerprint depends on its rule, target, function, caller and
// metric only.
std::string RenderCodeQuality(const GateResult& gate);

// Texts of a comment about the gate's result and the owners of a report's causes.

struct PostingInput {
  std::string project;  // names the comment
  int64_t run_id = 0;
  std::string commit;
  ForgeTraits traits;
  std::string checks_url;  // of the pull request
  std::string page_url;    // of the full report; may be empty
  // Returns the address of a picture of the finding's trend; empty: none. Null: no pictures.
  std::function<std::string(const v1::Finding&)> picture_url = nullptr;
  CodeOwners code_owners;  // of the target branch
  // The newest unanswered request to rerun this commit's tests.
  std::optional<store::RerunRequestRecord> rerun;
};

// Whether the address is safe within a Markdown link's parentheses.
bool IsPlainUrl(absl::string_view url);

// Keeps references to its arguments.
class Judgement {
 public:
  Judgement(const v1::Report& report, const GateResult& gate, const Policy& policy,
            const PostingInput& input);

  // Status of a cause: failure, acknowledgement, owners. About one line; may be empty.
  std::string Remark(const FunctionRow& row) const;

  // The text below the shown causes: why the check fails, how to accept the changes, and where the
  // full report is. At most eight lines of 120 columns.
  std::string Closing(const std::vector<const FunctionRow*>& shown) const;

  // Who requested a rerun, and what starts it. One sentence, or nothing.
  std::string RerunAsked() const;

 private:
  std::string Code(absl::string_view text, size_t most) const;
  std::string Strong(const std::string& text) const;
  const GatedCause* GatedOf(const FunctionRow& row) const;
  std::string GatedWords(const GatedFinding& gated) const;
  std::string Owners(const std::vector<const v1::Finding*>& findings, bool fails) const;
  std::string OthersThatFail(const std::vector<const FunctionRow*>& shown) const;
  std::string InFull() const;

  const GateResult& gate_;
  const Policy& policy_;
  const PostingInput& input_;
  const std::vector<GatedCause> gated_;
  std::map<const v1::Finding*, size_t> causes_;  // numbers of the causes
  std::map<size_t, const GatedCause*> gated_by_cause_;
};

// Owners in a comment: listed, and mentioned only if they are needed.

enum class OwnerStyle {
  kText,      // plain text: "acme/parsers"
  kMarkdown,  // a code span, which does not notify: "`acme/parsers`"
  kMention,   // "@acme/parsers", which notifies; otherwise like kMarkdown
};

// "`acme/parsers`, `ada` and 2 more"; empty without owners. Names are escaped: they cannot become
// markup or mention other people.
std::string OwnerList(const std::vector<std::string>& owners, OwnerStyle style);

// Whether "@name" or "@group/name" is a mention of one person or group, not of everyone.
bool CanBeMentioned(absl::string_view owner);

// Overall result of a run. A hidden line of the comment stores it, so that the next run knows what
// was reported before.
enum class PostingState {
  kUnknown,    // the comment has no such line
  kNoChange,   // no change worth a comment
  kChanged,    // changes, but no failure
  kRegressed,  // at least one failure
};

// The hidden second line.
struct StateLine {
  PostingState state = PostingState::kUnknown;
  int64_t run_id = 0;
  std::string commit;
};
std::string ToString(const StateLine& line);
// Parses the line of a comment's body. kUnknown if it is absent.
StateLine ReadStateLine(absl::string_view body);

// A body without its hidden lines and trailing blanks.
std::string VisibleText(absl::string_view body);

// A line for the end of a comment: the parts that the forge refused, with its reasons. Empty
// without refusals. At most kMissingBytes.
inline constexpr size_t kMissingBytes = 1200;
std::string MissingLine(const Refusals& refusals, bool markdown);

struct Posting {
  std::string marker;  // the body's first line
  StateLine about;
  std::string body;
  Check check;
};

// Composes a posting within the forge's limits. If it is too long, the least important parts are
// cut, and a link leads to the full report. Names, paths and reasons are escaped.
//
// Leaves room for MissingLine in the body.
Posting ComposePosting(const v1::Report& report, const GateResult& gate, const Policy& policy,
                       const PostingInput& input);

// The runs of one project and configuration at a pull request's commit.
struct PostingPart {
  std::string name;
  Posting posting;  // of at most traits.max_comment_bytes / (number of parts)
};

// One posting about all parts, which have one commit: it fails if any of them fails. Each has a
// section, those that fail first. Not empty; a single part is returned as it is.
Posting JoinPostings(std::vector<PostingPart> parts, const ForgeTraits& traits);

// One line of plain, printable text: "jsonPrintf calls jsonAppendChar 239,477×, was 155,620 (+54%),
// about 10% of the CPU of //db:query_test".
std::string DescribeFinding(const v1::Finding& finding);

// Whether a file name from debug information may be a path of the repository: relative, printable,
// at most 500 bytes long, and without parts that are empty, "." or "..".
bool IsRepositoryPath(absl::string_view path);

}  // namespace gprofhub::reporter
