// Pictures for comments: the one thing that is shown to who has an address, and has not logged in.
#pragma once

#include "absl/time/time.h"
#include "cli/serve/http/data/page_sources.h"
#include "cli/serve/http/visits/page_request.h"

namespace gprofhub::cli {

// Whether the request is for a picture.
bool IsPicture(const PageRequest& request);

// The picture of an address that was signed with our key and has not expired. For any other, and
// where there is no key, nor such a run any more, the answer is the same: there is no such page.
PageAnswer AnswerPicture(const PageSources& sources, const PageRequest& request);

}  // namespace gprofhub::cli
