// The comment and the check about a run on its pull request.
#pragma once

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "proto/findings.pb.h"
#include "reporter/forge/forge.h"
#include "reporter/gate/gate.h"
#include "reporter/policy/policy.h"
#include "reporter/posting/judgement.h"

namespace gprofhub::reporter {

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

struct Posting {
  std::string marker;  // the body's first line
  StateLine about;
  std::string body;
  Check check;
};

// Composes a posting within the forge's limits. If it is too long, the least important parts are
// cut, and a link leads to the full report. Names, paths and reasons are escaped.
Posting ComposePosting(const v1::Report& report, const GateResult& gate, const Policy& policy,
                       const PostingInput& input);

// One line of plain, printable text: "jsonPrintf calls jsonAppendChar 239,477×, was 155,620 (+54%),
// about 10% of the CPU of //db:query_test".
std::string DescribeFinding(const v1::Finding& finding);

// Whether a file name from debug information may be a path of the repository: relative, printable,
// at most 500 bytes long, and without parts that are empty, "." or "..".
bool IsRepositoryPath(absl::string_view path);

}  // namespace gprofhub::reporter
