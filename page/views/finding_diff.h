// The lines of the source that changed where a finding is.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/diff/source_diff.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/findings.pb.h"

namespace gprofhub::page {

// What changed in the source that the finding is about.
struct FindingDiff {
  std::string file;                   // at the head, or where it was; empty: not known
  uint32_t line = 0;                  // of the finding, in it; 0: not known
  bool is_head = true;                // what `line` counts
  bool is_read = false;               // false: the server has no source, and the rest says nothing
  std::vector<DiffHunk> own, others;  // of the function to blame; of the rest of the file
  std::string problem;                // why there is nothing to be seen; a sentence
};

// With its heading. Nothing where no file is known, or the server has no source.
Html FindingDiffView(const Context& context, const v1::Compared& compared,
                     const v1::Finding& finding, const FindingDiff& diff);

}  // namespace gprofhub::page
