// The pages: which address shows what.
#pragma once

#include "absl/time/time.h"
#include "server/http/page_request.h"
#include "server/http/visits.h"

namespace gprofhub::server {

// Answers everything but /api and /assets: GET with a page, POST with a redirection. Errors become
// pages, too.
PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request);

// An error page. `path_prefix` as in VisitOptions.
PageAnswer ErrorPage(const absl::Status& status, const std::string& path_prefix);

// Pictures for comments: the only content that is served by address alone, without a log-in.

// Whether the request is for a picture.
bool IsPicture(const PageRequest& request);

// The picture of an address that was signed with our key and has not expired. For all other
// addresses, without a key, and for deleted runs, the response is the same: page not found.
PageAnswer AnswerPicture(const PageSources& sources, const PageRequest& request);

}  // namespace gprofhub::server
