// Line-by-line listings, as GNU gprof 2.40 chooses rows (observed): the row of a function's first
// line represents the whole function, whose lines have rows of their own. A symspec that matches
// that row but not the next row also chooses the function's further rows: "-l -p 12" selects the
// function that begins in line 12. It chooses rows only up to the next match, unless it names
// callers.
#include "analyzer/listing/symspec_rows.h"

namespace gprofhub::analyzer {

std::vector<ChosenRun> ChosenRuns(const ListingRows& rows, const Symspec& spec) {
  std::vector<ChosenRun> runs;
  for (uint32_t row = 0; row < rows.size(); ++row) {
    if (spec.Matches(rows.LinkageName(row), rows.File(row), rows.Line(row))) {
      if (runs.empty() || runs.back().last_matched + 1 != row) runs.push_back({row, row, row, row});
      runs.back().last_matched = row;
      runs.back().last_chosen = row;
    } else if (!runs.empty() && rows.Address(row) < rows.SymbolEnd(runs.back().last_matched)) {
      runs.back().last_chosen = row;
    }
  }
  for (ChosenRun& run : runs) {
    run.last_caller = run.last_chosen;
    const uint64_t end = rows.SymbolEnd(run.last_matched);
    while (run.last_caller + 1 < rows.size() && rows.Address(run.last_caller + 1) < end) {
      ++run.last_caller;
    }
  }
  return runs;
}

}  // namespace gprofhub::analyzer
