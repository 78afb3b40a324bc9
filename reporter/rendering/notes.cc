#include "reporter/rendering/notes.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/printable.h"
#include "reporter/findings/coverage.h"
#include "reporter/findings/rerun_words.h"

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
  if (const std::string more = RerunWords(CountReruns(report)); !more.empty()) {
    notes.push_back(absl::StrCat(more, ": ", quote(RerunListCommand(report))));
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
