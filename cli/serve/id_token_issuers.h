// The issuers whose ID tokens this server accepts, over the network.
#pragma once

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/time.h"
#include "collector/access/authorizer.h"

namespace gprofhub::cli {

struct IssuerOptions {
  std::string file;     // format: collector/access/oidc/issuers.h; empty: ID tokens are refused
  std::string ca_file;  // PEM of the issuers' authority; empty: the system's
  absl::Duration timeout = absl::Seconds(5);  // of one answer of an issuer
};

// Null if no file is named. INVALID_ARGUMENT naming the file and the place of the mistake;
// ReadFile's errors. An issuer is contacted when its first token arrives.
absl::StatusOr<collector::Authorizer::IdTokens> MakeIdTokens(const IssuerOptions& options);

// The same, from a file that can be read again.
struct ReloadableIdTokens {
  collector::Authorizer::IdTokens identify;  // null if no file is named; so is the other
  // Errors as MakeIdTokens; after one nothing has changed.
  std::function<absl::Status()> reload;
};
absl::StatusOr<ReloadableIdTokens> MakeReloadableIdTokens(const IssuerOptions& options);

}  // namespace gprofhub::cli
