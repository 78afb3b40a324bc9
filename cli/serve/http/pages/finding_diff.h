// The source of both commits where a finding is.
#pragma once

#include "cli/serve/http/pages/page_call.h"
#include "page/views/finding.h"
#include "proto/findings.pb.h"

namespace gprofhub::cli {

// Never fails: a page without the source contains the reason. `evidence` has both head and base.
page::FindingDiff ReadFindingDiff(const PageCall& call, const v1::Compared& compared,
                                  const page::FindingEvidence& evidence);

}  // namespace gprofhub::cli
