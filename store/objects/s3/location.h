// Where a bucket is: s3://BUCKET/PREFIX?endpoint=https://HOST:PORT&region=REGION&style=path
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

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

}  // namespace gprofhub::store
