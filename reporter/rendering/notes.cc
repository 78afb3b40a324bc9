#include "reporter/rendering/notes.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "reporter/findings/coverage.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kNoteCharacters = 90;
constexpr size_t kTargetCharacters = 45;

}  // namespace

std::vector<std::string> NotesOf(const v1::Report& report, const Quote& quote, size_t most) {
  std::vector<std::string> notes;
  for (const auto& [reason, targets] : NotComparedByReason(report.compared())) {
    const size_t others = targets.size() - 1;
    notes.push_back(
        absl::StrCat("not compared: ", quote(base::Shortened(targets.front(), kTargetCharacters)),
                     others > 0 ? absl::StrCat(" and ", others, " more") : "", ": ",
                     quote(base::Shortened(reason, kNoteCharacters))));
  }
  if (report.reruns_size() > 0) {
    // Of local folders the id is a path.
    const std::string& run = report.compared().head().run_id();
    const bool is_number = !run.empty() && std::all_of(run.begin(), run.end(), absl::ascii_isdigit);
    notes.push_back(absl::StrCat(
        "more runs of ", report.reruns_size(), report.reruns_size() == 1 ? " test" : " tests",
        " would tell more: ",
        quote(absl::StrCat("gprofhub rerun-list", is_number ? " " : "", is_number ? run : ""))));
  }
  for (const std::string& warning : report.warnings()) {
    notes.push_back(absl::StrCat("note: ", quote(base::Shortened(warning, kNoteCharacters))));
  }
  most = std::max<size_t>(most, 1);
  if (notes.size() > most) {
    const size_t more = notes.size() - most + 1;
    notes.resize(most - 1);
    notes.push_back(notes.empty() ? absl::StrCat(more, " notes")
                                  : absl::StrCat("and ", more, " more notes"));
  }
  return notes;
}

}  // namespace gprofhub::reporter
