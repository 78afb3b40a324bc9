// Files of projects at a commit, for annotated source: from a checkout on this machine, or from the
// forge through the server's credentials.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "base/http/http.h"
#include "cli/serve/forges.h"
#include "cli/serve/texts/read_source.h"

namespace gprofhub::cli {

// `checkouts` are "PROJECT=FOLDER", each a git repository. Null where there is neither a checkout
// nor a forge with credentials. INVALID_ARGUMENT naming an entry of another form.
absl::StatusOr<ReadSource> MakeSourceReader(const std::vector<std::string>& checkouts,
                                            const ForgeOptions& forges,
                                            const base::HttpClient& http);

}  // namespace gprofhub::cli
