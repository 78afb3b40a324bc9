// Bazel's invocations: the address that Bazel prints (--bes_results_url), and its target.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// /invocations/ID, of any project that the visitor may read: redirects to the invocation's page
// while it exists, and then to the comparison of its run. NOT_FOUND: no such invocation has begun;
// UNAUTHENTICATED for anonymous visitors.
absl::StatusOr<PageAnswer> InvocationLink(PageCall& call);

// /p/PROJECT/invocations, and /p/PROJECT/invocations/ID, which loads itself again while it runs.
absl::StatusOr<PageAnswer> InvocationsPage(PageCall& call);
absl::StatusOr<PageAnswer> InvocationPage(PageCall& call);

}  // namespace gprofhub::cli
