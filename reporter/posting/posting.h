// What is said about a run on its pull request: a comment and a check.
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

// How a run stands. A hidden line of the comment notes it, so that the next run knows what people
// have read.
enum class PostingState {
  kUnknown,    // of a comment without the line
  kNoChange,   // nothing worth a comment
  kChanged,    // but nothing that fails
  kRegressed,  // something fails
};

// The hidden second line.
struct StateLine {
  PostingState state = PostingState::kUnknown;
  int64_t run_id = 0;
  std::string commit;
};
std::string ToString(const StateLine& line);
// The line of a comment's body. kUnknown if there is none.
StateLine ReadStateLine(absl::string_view body);

// A body without its hidden lines and without blanks at the end.
std::string VisibleText(absl::string_view body);

struct Posting {
  std::string marker;  // the body's first line
  StateLine about;
  std::string body;
  Check check;
};

// Makes what fits the forge's limits. If there is more, the least important is cut, and a link
// leads to the rest. Nothing of a name, path or reason becomes markup.
Posting ComposePosting(const v1::Report& report, const GateResult& gate, const Policy& policy,
                       const PostingInput& input);

// One line of plain, printable text: "jsonPrintf calls jsonAppendChar 239,477×, was 155,620 (+54%),
// about 10% of the CPU of //db:query_test".
std::string DescribeFinding(const v1::Finding& finding);

// Whether a file's name from debug information can be one of the repository's. Such a name is
// relative, printable, at most 500 bytes long, and has no part that is empty, "." or "..".
bool IsRepositoryPath(absl::string_view path);

}  // namespace gprofhub::reporter
