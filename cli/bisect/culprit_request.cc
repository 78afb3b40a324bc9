#include "cli/bisect/culprit_request.h"

#include "base/printable.h"

namespace gprofhub::cli {
namespace {

// The server takes 1,000 bytes; a character has four at most.
constexpr size_t kMostCharacters = 200;

std::string Cut(const std::string& text) {
  return base::Shortened(base::Printable(text), kMostCharacters);
}

}  // namespace

std::optional<v1::RecordCulpritRequest> CulpritRequest(const BisectReport& report,
                                                       const Range& range) {
  if (!IsFound(report)) return std::nullopt;
  const Commit& commit = report.line.commits[report.result.range.first_new];
  v1::RecordCulpritRequest request;
  request.set_target(report.question.target);
  request.set_function(report.question.function);
  request.set_caller(report.question.caller);
  request.set_base_commit(range.base);
  request.set_head_commit(range.head);
  request.mutable_culprit()->set_commit(commit.hash);
  request.mutable_culprit()->set_author(Cut(commit.author));
  request.mutable_culprit()->set_date(Cut(commit.date));
  request.mutable_culprit()->set_subject(Cut(commit.subject));
  return request;
}

}  // namespace gprofhub::cli
