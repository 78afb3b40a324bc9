// Source diff around a finding.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "page/diff/source_diff.h"
#include "page/html/html.h"
#include "page/views/shell.h"
#include "proto/findings.pb.h"

namespace gprofhub::page {

// Source changes in the file that the finding is about.
struct FindingDiff {
  std::string file;                   // at the head, or at the base if it is gone; empty: unknown
  uint32_t line = 0;                  // of the finding; 0: unknown
  bool is_head = true;                // whether `line` is of the head
  bool is_read = false;               // false: the server has no source; the rest is unset
  std::vector<DiffHunk> own, others;  // of the function to blame; of the rest of the file
  std::string problem;                // why there is no diff; a sentence
};

// With its heading. Nothing if the file is unknown, or the server has no source.
Html FindingDiffView(const Context& context, const v1::Compared& compared,
                     const v1::Finding& finding, const FindingDiff& diff);

}  // namespace gprofhub::page
