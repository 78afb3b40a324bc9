// Overview pages: projects, the runs of one, the changes of its main line, its gate.
#pragma once

#include "absl/status/statusor.h"
#include "cli/serve/http/pages/page_call.h"

namespace gprofhub::cli {

// Each makes the page that its request's address names. Errors are those of the queries.
absl::StatusOr<PageAnswer> ProjectsPage(PageCall& call);
absl::StatusOr<PageAnswer> ProjectPage(PageCall& call);
absl::StatusOr<PageAnswer> RunsPage(PageCall& call);
absl::StatusOr<PageAnswer> RunPage(PageCall& call);
absl::StatusOr<PageAnswer> ChangesPage(PageCall& call);
absl::StatusOr<PageAnswer> GatePage(PageCall& call);

}  // namespace gprofhub::cli
