// What a server's answer means for whoever asked.
#pragma once

#include "absl/status/status.h"
#include "base/http/http.h"

namespace gprofhub::store {

// Whether a retry of the request may succeed: the server is busy, restarts, or did not receive the
// bytes that were sent. The body of a 2xx response is not parsed: it may be an object's bytes.
bool MayGoBetter(const base::HttpResponse& answer);

// The error of an answer that is none of those that were hoped for; never OK. Of what the server
// says only the code goes into the message: its words name the bucket, and what it signed.
//
//   NOT_FOUND            there is no such object
//   OUT_OF_RANGE         the object is shorter
//   ALREADY_EXISTS       an object has the key that was to be new
//   PERMISSION_DENIED    the keys are not enough
//   FAILED_PRECONDITION  there is no such bucket, it is elsewhere, or the server takes no request
//                        body of that size
//   UNIMPLEMENTED        the server does not know what it was asked for
//   UNAVAILABLE          it may go better in a moment
//   INTERNAL             anything else
absl::Status StatusOf(const base::HttpResponse& answer);

// The error of a request without an answer, as base/http/http.h has it, without the URL.
absl::Status WithoutUrl(const absl::Status& status);

}  // namespace gprofhub::store
