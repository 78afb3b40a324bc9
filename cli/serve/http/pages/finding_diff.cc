#include "cli/serve/http/pages/finding_diff.h"

#include <optional>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/decoding/decoding.h"
#include "base/public_message.h"
#include "cli/serve/texts/read_source.h"
#include "page/diff/source_diff.h"

namespace gprofhub::cli {
namespace {

// Memory of a line during comparison and output, in addition to its text.
constexpr uint64_t kBytesOfLine = 256;

// A file that one side does not have is empty there.
absl::StatusOr<SourceText> ReadSide(const PageCall& call, const std::string& commit,
                                    const std::string& file) {
  const absl::StatusOr<SourceText> text =
      call.sources.read_source(call.context.project, commit, file);
  if (absl::IsNotFound(text.status())) return std::make_shared<const std::string>();
  return text;
}

absl::StatusOr<std::vector<page::DiffHunk>> ReadHunks(const PageCall& call,
                                                      const v1::Compared& compared,
                                                      const std::string& file_before,
                                                      const std::string& file_after) {
  const absl::StatusOr<SourceText> before = ReadSide(call, compared.base().commit(), file_before);
  if (!before.ok()) return before.status();
  const absl::StatusOr<SourceText> after = ReadSide(call, compared.head().commit(), file_after);
  if (!after.ok()) return after.status();
  if ((*before)->empty() && (*after)->empty()) {
    return absl::NotFoundError("neither commit has the file");
  }
  const uint64_t size = (*before)->size() + (*after)->size();
  const absl::StatusOr<base::DecodingPart> memory =
      call.store().blobs.decoding().Take(size + size / 16 * kBytesOfLine);
  if (!memory.ok()) return memory.status();
  return page::HunksBetween(**before, **after);
}

const page::FunctionLines* BlamedOf(const std::optional<page::SideEntry>& side) {
  return side.has_value() && side->blamed.has_value() ? &*side->blamed : nullptr;
}

}  // namespace

page::FindingDiff ReadFindingDiff(const PageCall& call, const v1::Compared& compared,
                                  const page::FindingEvidence& evidence) {
  page::FindingDiff diff;
  const v1::Finding& finding = evidence.finding;
  if (compared.base().commit().empty() || compared.head().commit().empty()) return diff;
  const page::FunctionLines* const before = BlamedOf(evidence.before);
  const page::FunctionLines* const after = BlamedOf(evidence.after);
  diff.is_head = after != nullptr || before == nullptr;
  diff.file = std::string(absl::StripPrefix(finding.site().file(), "./"));
  diff.line = finding.site().line();
  if (diff.file.empty()) {
    if (after == nullptr && before == nullptr) return diff;
    diff.file = after != nullptr ? after->file : before->file;
    diff.line = 0;
  }
  const bool is_open = call.visits.PermitSource(call.visitor, call.context.project).ok();
  if (call.sources.read_source == nullptr || !is_open) return diff;
  diff.is_read = true;
  // The file may have been renamed.
  const std::string& file_before = before != nullptr ? before->file : diff.file;
  const std::string& file_after = after != nullptr ? after->file : diff.file;
  absl::StatusOr<std::vector<page::DiffHunk>> hunks =
      ReadHunks(call, compared, file_before, file_after);
  if (!hunks.ok()) {
    diff.problem =
        absl::StrCat("The lines cannot be shown: ", base::PublicMessageOf(hunks.status()), ".");
    return diff;
  }
  const page::LineSpan of_before = before != nullptr ? before->lines : page::LineSpan();
  const page::LineSpan of_after = after != nullptr ? after->lines : page::LineSpan();
  for (page::DiffHunk& hunk : *hunks) {
    auto& place = page::Touches(hunk, of_before, of_after) ? diff.own : diff.others;
    place.push_back(std::move(hunk));
  }
  return diff;
}

}  // namespace gprofhub::cli
