// Maps a server's response to a status.
#pragma once

#include "absl/status/status.h"
#include "base/http/http.h"

namespace gprofhub::store {

// Whether a retry of the request may succeed: the server is busy, restarts, or did not receive the
// bytes that were sent. The body of a 2xx response is not parsed: it may be an object's bytes.
bool MayGoBetter(const base::HttpResponse& answer);

// The error of an unexpected response; never OK. Of the server's error only the code goes into the
// message: its text contains the bucket's name and the signed request.
//
//   NOT_FOUND            the object does not exist
//   OUT_OF_RANGE         the object is shorter
//   ALREADY_EXISTS       an object already has the key
//   PERMISSION_DENIED    the credentials are not sufficient
//   FAILED_PRECONDITION  the bucket does not exist or is elsewhere, or the server refuses a request
//                        body of that size
//   UNIMPLEMENTED        the server does not implement the request
//   UNAVAILABLE          transient; a retry may succeed
//   INTERNAL             anything else
absl::Status StatusOf(const base::HttpResponse& answer);

// The error of a request without a response, as base/http/http.h has it, without the URL.
absl::Status WithoutUrl(const absl::Status& status);

}  // namespace gprofhub::store
