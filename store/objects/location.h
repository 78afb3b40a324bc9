// Requests to a bucket: its location, signatures, and the server's answers.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http/http.h"

namespace gprofhub::store {

// Parsed responses of S3 servers (Amazon S3 API Reference: ListObjectsV2, Error responses).

// The code of an <Error>, such as "NoSuchKey"; empty if `body` is not one. Letters and digits only.
std::string ErrorCodeOf(absl::string_view body);

struct S3List {
  struct Object {
    std::string key;  // complete, with the location's prefix
    uint64_t size = 0;
    absl::Time changed;
  };
  std::vector<Object> objects;
  bool is_truncated = false;
};

// INVALID_ARGUMENT if the body is not a listing, or its keys do not ascend.
absl::StatusOr<S3List> ParseList(absl::string_view body);

// "bytes FIRST-LAST/TOTAL" (RFC 9110, 14.4).
struct ContentRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t total = 0;
};
absl::StatusOr<ContentRange> ParseContentRange(absl::string_view text);

// Where a bucket is: s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION&style=path

struct S3Location {
  std::string bucket;
  std::string prefix;    // of every key; ends with '/', or is empty
  std::string scheme;    // "https", or "http"
  std::string endpoint;  // host, and port if one was given
  std::string region;
  // Whether the bucket is in the path instead of the host name.
  bool path_style = false;
  // Whether http to other machines is allowed.
  bool insecure = false;

  // The host of the bucket's requests, and the prefix of their paths.
  std::string host() const;
  std::string path(absl::string_view key) const;
};

// Options, each at most once:
//
//   endpoint=URL      the server, without a path; default: Amazon's server of the region
//   region=NAME       required without an endpoint; else default us-east-1, which most servers
//   accept style=path        the bucket is in the path; default if an endpoint is given
//   style=virtual     the bucket is part of the host name
//   insecure=1        allows http to other machines
//
// Names and the rules for buckets: "General purpose bucket naming rules" of the Amazon S3 User
// Guide. INVALID_ARGUMENT: the message names the invalid part and its valid values.
absl::StatusOr<S3Location> ParseS3Location(absl::string_view text);

// Authentication of requests to an S3 server: AWS Signature Version 4, in the Authorization header.

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

// XML of S3 servers' responses: elements and text. Document type declarations are refused, so no
// external entity is read and no entity expands.

struct XmlElement {
  std::string name;
  std::string text;  // without its children's text
  std::vector<XmlElement> children;

  // The first child of that name; nullptr if absent.
  const XmlElement* Child(absl::string_view child) const;
  // The text of that child; empty if absent.
  absl::string_view TextOf(absl::string_view child) const;
};

// The root. INVALID_ARGUMENT if `text` is not XML, has a DOCTYPE, or is deeper (16) or has more
// elements (50,000) than any response of S3.
absl::StatusOr<XmlElement> ParseXml(absl::string_view text);

}  // namespace gprofhub::store
