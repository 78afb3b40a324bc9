// Authentication of requests to an S3 server: AWS Signature Version 4, in the Authorization header.
#pragma once

#include <map>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http/http.h"

namespace gprofhub::store {

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // of temporary credentials; else empty
};

// A request to sign. Its parts are not encoded.
struct S3Request {
  std::string method;
  std::string host;  // with its port, unless that is the scheme's default
  std::string path;  // begins with '/'
  std::map<std::string, std::string> query;
  base::HttpHeaders headers;  // names in lower case; all are signed
  absl::string_view body;
};

// Everything but letters, digits, '-', '.', '_', '~' and '/' as %XX. S3 encodes a path once, other
// services of AWS twice.
std::string EncodedPath(absl::string_view path);

// The query as signed and sent: sorted by name, every name with '='. Empty for an empty query.
std::string EncodedQuery(const std::map<std::string, std::string>& query);

// The headers of `request`, and those that a signature adds: x-amz-date, x-amz-content-sha256,
// x-amz-security-token if the credentials have one, host, and authorization.
base::HttpHeaders SignedHeaders(const S3Request& request, const S3Credentials& credentials,
                                absl::string_view region, absl::Time now);

}  // namespace gprofhub::store
