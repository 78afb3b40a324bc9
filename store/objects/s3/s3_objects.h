// Objects in a bucket of Amazon S3, or of another server with its API.
#pragma once

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/http/http.h"
#include "store/objects/object_store.h"
#include "store/objects/s3/connection.h"
#include "store/objects/s3/credentials.h"

namespace gprofhub::store {

struct S3Options {
  S3CredentialSource::Environment environment = S3CredentialSource::OfThisProcess();
  S3Clock clock;
  S3Retries retries;
  absl::Duration connect_timeout = absl::Seconds(10);
  // Timeout of one request. A request that sends an object may take another second per 128 KiB.
  absl::Duration timeout = absl::Minutes(1);
  std::string ca_file;    // PEM; empty: the system's certificates
  base::HttpClient http;  // empty: libcurl with the options above
};

// `location` as in location.h: INVALID_ARGUMENT names the invalid part. FAILED_PRECONDITION: no
// credentials are configured. No request is sent yet. Additional errors of the methods, compared
// with object_store.h: FAILED_PRECONDITION if the bucket does not exist, INTERNAL or DATA_LOSS if a
// server deviates from S3.
//
// The credentials need s3:GetObject, s3:PutObject, s3:DeleteObject, and s3:ListBucket: without it a
// server does not report that an object is missing.
//
// An object is sent in one PUT request, without a copy of its bytes.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenS3Objects(absl::string_view location,
                                                           S3Options options);

}  // namespace gprofhub::store
