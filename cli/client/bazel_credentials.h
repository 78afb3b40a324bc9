// Bazel's credential helper protocol
// (https://github.com/EngFlow/credential-helper-spec/blob/main/spec.md): Bazel writes a URI to the
// helper's standard input and reads the headers for it from the helper's standard output.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "ci/upload/collector_client.h"

namespace gprofhub::cli {

// Upper bound of a request. Bazel's are a URI long.
inline constexpr size_t kMaxCredentialRequestBytes = 64 << 10;

// The response to the `get` request `{"uri": …}`: a JSON object with the token as a bearer token,
// and with its expiry if it is an ID token. Other fields of the request are ignored.
//
// The token is for `server` (base::ParseServerAddress accepts it) only: PERMISSION_DENIED if the
// URI has another host. Ports may differ, because roles of one server may have one each.
// INVALID_ARGUMENT: `request` is not such an object. UNAUTHENTICATED: there is no token. Else the
// errors of `token`, which is called last.
absl::StatusOr<std::string> BazelCredentials(absl::string_view request, const std::string& server,
                                             const ci::TokenSource& token);

}  // namespace gprofhub::cli
