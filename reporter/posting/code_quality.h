// GitLab's Code Quality report. A CI job publishes it as the artifact "codequality", and the merge
// request shows its entries at the lines. The format:
// docs.gitlab.com/ee/ci/testing/code_quality.html, "Code Quality report format".
#pragma once

#include <string>

#include "reporter/gate/gate.h"

namespace gprofhub::reporter {

// A JSON list with an entry for each gated finding that is not acknowledged and whose call site is
// in the repository. A finding's fingerprint depends on its rule, target, function, caller and
// metric only.
std::string RenderCodeQuality(const GateResult& gate);

}  // namespace gprofhub::reporter
