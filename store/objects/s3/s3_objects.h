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
  // Of one request. A request that sends an object may take another second per 128 KiB.
  absl::Duration timeout = absl::Minutes(1);
  std::string ca_file;    // PEM; empty: the system's certificates
  base::HttpClient http;  // empty: libcurl, as the options above say
};

// `location` is as location.h says: INVALID_ARGUMENT names what is wrong with it.
// FAILED_PRECONDITION: there are no keys. Nobody is asked yet. What its functions return beside the
// errors of object_store.h: FAILED_PRECONDITION where there is no such bucket, INTERNAL or
// DATA_LOSS where a server does not do what S3 does.
//
// Keys need s3:GetObject, s3:PutObject, s3:DeleteObject, and s3:ListBucket: without it a server
// does not say that there is no such object.
//
// An object is sent in one PUT request, without a copy of its bytes.
absl::StatusOr<std::unique_ptr<ObjectStore>> OpenS3Objects(absl::string_view location,
                                                           S3Options options);

}  // namespace gprofhub::store
