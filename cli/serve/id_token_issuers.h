// The issuers whose ID tokens this server takes, over the network.
#pragma once

#include <string>

#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/access/authorizer.h"

namespace gprofhub::cli {

struct IssuerOptions {
  std::string file;     // as collector/access/oidc/issuers.h has it; empty: none are taken
  std::string ca_file;  // PEM of the issuers' authority; empty: the system's
  absl::Duration timeout = absl::Seconds(5);  // of one answer of an issuer
};

// Null if no file is named. INVALID_ARGUMENT naming the file and the place for what is wrong in it;
// ReadFile's errors. An issuer is asked when the first of its tokens comes.
absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options);

}  // namespace gprofhub::cli
