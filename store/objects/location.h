// Where a bucket is: s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION&style=path
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http.h"

namespace gprofhub::store {

// Parsed responses of S3 servers (Amazon S3 API Reference: ListObjectsV2, Error responses).

// The code of an <Error>, such as "NoSuchKey"; empty if `body` is none. It has letters and digits
// only.
std::string ErrorCodeOf(absl::string_view body);

struct S3List {
  struct Object {
    std::string key;  // whole, as the bucket has it
    uint64_t size = 0;
    absl::Time changed;
  };
  std::vector<Object> objects;
  bool is_truncated = false;
};

// INVALID_ARGUMENT: it is no list, or one whose keys do not rise.
absl::StatusOr<S3List> ParseList(absl::string_view body);

// "bytes FIRST-LAST/TOTAL" (RFC 9110, 14.4).
struct ContentRange {
  uint64_t first = 0;
  uint64_t last = 0;
  uint64_t total = 0;
};
absl::StatusOr<ContentRange> ParseContentRange(absl::string_view text);

struct S3Location {
  std::string bucket;
  std::string prefix;    // before every key; ends with '/', or is empty
  std::string scheme;    // "https", or "http"
  std::string endpoint;  // host, and port if one was given
  std::string region;
  // Whether the bucket is a part of the path, and not of the host's name.
  bool path_style = false;
  // Whether http may be spoken beyond this machine.
  bool insecure = false;

  // What the bucket's requests are sent to: the host, and what a path begins with.
  std::string host() const;
  std::string path(absl::string_view key) const;
};

// Options, each at most once:
//
//   endpoint=URL      whom to ask, without a path; else Amazon's server of the region
//   region=NAME       must be given without an endpoint; else us-east-1, which most servers take
//   style=path        the bucket stands in the path; it is the default where an endpoint is given
//   style=virtual     the bucket is a part of the host's name
//   insecure=1        http may be spoken to other machines than this one, too
//
// Names and the rules for buckets: "General purpose bucket naming rules" of the Amazon S3 User
// Guide. INVALID_ARGUMENT: the message names the part that is wrong, and what it may be.
absl::StatusOr<S3Location> ParseS3Location(absl::string_view text);

// Who asks an S3 server: AWS Signature Version 4, in the Authorization header.

struct S3Credentials {
  std::string access_key;
  std::string secret_key;
  std::string session_token;  // of credentials that end; else empty
};

// A request as it is signed. Nothing in it is encoded.
struct S3Request {
  std::string method;
  std::string host;  // with its port, unless that is the scheme's own
  std::string path;  // begins with '/'
  std::map<std::string, std::string> query;
  base::HttpHeaders headers;  // names in lower case; all are signed
  absl::string_view body;
};

// Everything but letters, digits, '-', '.', '_', '~' and '/' as %XX. S3 encodes a path once, other
// services of AWS twice.
std::string EncodedPath(absl::string_view path);

// The query as it is signed and sent: by name, every name with '='. Empty if there is none.
std::string EncodedQuery(const std::map<std::string, std::string>& query);

// The headers of `request`, and those that a signature adds: x-amz-date, x-amz-content-sha256,
// x-amz-security-token where there is one, host, and authorization.
base::HttpHeaders SignedHeaders(const S3Request& request, const S3Credentials& credentials,
                                absl::string_view region, absl::Time now);

// XML as S3 servers answer it: elements and text. What a document declares is refused, so nothing
// in it is read from elsewhere and nothing grows.

struct XmlElement {
  std::string name;
  std::string text;  // its own, without its children's
  std::vector<XmlElement> children;

  // The first child of that name; nullptr if there is none.
  const XmlElement* Child(absl::string_view child) const;
  // The text of that child; empty if there is none.
  absl::string_view TextOf(absl::string_view child) const;
};

// The root. INVALID_ARGUMENT if `text` is no XML, has a DOCTYPE, or is deeper (16) or has more
// elements (50,000) than any answer of S3.
absl::StatusOr<XmlElement> ParseXml(absl::string_view text);

}  // namespace gprofhub::store
