// Pictures for comments: the only content that is served by address alone, without a log-in.
#pragma once

#include "absl/time/time.h"
#include "cli/serve/http/data/page_sources.h"
#include "cli/serve/http/visits/page_request.h"

namespace gprofhub::cli {

// Whether the request is for a picture.
bool IsPicture(const PageRequest& request);

// The picture of an address that was signed with our key and has not expired. For all other
// addresses, without a key, and for deleted runs, the response is the same: page not found.
PageAnswer AnswerPicture(const PageSources& sources, const PageRequest& request);

}  // namespace gprofhub::cli
