// The pages: which address shows what, from which query.
#pragma once

#include "cli/serve/http/page_request.h"
#include "cli/serve/http/target_data.h"
#include "cli/serve/http/visits.h"
#include "page/words/source_links.h"

namespace gprofhub::cli {

struct PageSources {
  PageStore store;
  page::SourceLinksByProject links;
};

// Answers everything but /api and /assets: GET with a page, POST with a redirection. Errors become
// pages, too.
PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request);

// A page that says what is wrong.
PageAnswer ErrorPage(const absl::Status& status);

}  // namespace gprofhub::cli
