// Where a bucket is: s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION&style=path
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

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

}  // namespace gprofhub::store
