// Loads the quotas of `gprofhub serve --quotas`.
#pragma once

#include <string>

#include "absl/status/status.h"
#include "collector/quotas/quotas.h"

namespace gprofhub::cli {

// Reads the file and sets its quotas. After an error nothing has changed: INVALID_ARGUMENT naming
// the file and the field; ReadFile's errors.
absl::Status SetQuotasOfFile(const std::string& path, collector::Quotas& quotas);

}  // namespace gprofhub::cli
