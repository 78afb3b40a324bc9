// Bazel's invocations: the address that Bazel prints (--bes_results_url), and what it leads to.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// /invocations/ID, of whatever project the visitor may read: leads to the invocation while there is
// something to see of it, and then to the comparison of its run. NOT_FOUND: no such invocation has
// begun; UNAUTHENTICATED for who is not known.
absl::StatusOr<PageAnswer> InvocationLink(PageCall& call);

// /p/PROJECT/invocations, and /p/PROJECT/invocations/ID, which loads itself again while it runs.
absl::StatusOr<PageAnswer> InvocationsPage(PageCall& call);
absl::StatusOr<PageAnswer> InvocationPage(PageCall& call);

}  // namespace gprofhub::cli
