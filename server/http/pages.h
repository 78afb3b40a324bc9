// The pages: which address shows what.
#pragma once

#include "absl/status/status.h"
#include "page/views/shell.h"
#include "server/http/page_request.h"
#include "server/http/visits.h"

namespace gprofhub::server {

// Answers everything but /api and /assets: GET with a page, POST with a redirection. Errors become
// pages, too.
PageAnswer AnswerPage(const PageSources& sources, Visits& visits, const PageRequest& request);

// Page with the error, its reason, and links to pages that exist. `context` is that of the request,
// as far as known. `code` replaces CodeOf(status), unless it is 0.
PageAnswer ErrorPage(const absl::Status& status, page::Context context, int code = 0);

// Pictures for comments: the only content that is served by address alone, without a log-in.

// Whether the request is for a picture.
bool IsPicture(const PageRequest& request);

// The picture of an address that was signed with our key and has not expired. For all other
// addresses, without a key, and for deleted runs, the response is the same: page not found.
PageAnswer AnswerPicture(const PageSources& sources, const PageRequest& request);

}  // namespace gprofhub::server
