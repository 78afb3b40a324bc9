// The pages: which address shows what.
#pragma once

#include "cli/serve/http/data/page_sources.h"
#include "cli/serve/http/visits/page_request.h"
#include "cli/serve/http/visits/visits.h"

namespace gprofhub::cli {

// Answers everything but /api and /assets: GET with a page, POST with a redirection. Errors become
// pages, too.
PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request);

// An error page.
PageAnswer ErrorPage(const absl::Status& status);

}  // namespace gprofhub::cli
