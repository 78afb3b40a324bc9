// Location of a PostgreSQL database: a URL, which may contain a password.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/options.h"

namespace gprofhub::store::postgres {

struct Location {
  // For libpq: the given URL, with our parameters before its own. If both set an option of the
  // server, the URL's takes precedence.
  std::string connection_url;
  // For display: without the password and without parameters.
  std::string display;
  // The password as written in the URL, and decoded; empty without one.
  std::vector<std::string> secrets;
};

// Reads "postgresql://[user[:password]@][host[:port]][/database][?parameters]"
// or "postgres://…". INVALID_ARGUMENT if libpq refuses the URL, or if a part holds a character
// that must be percent-encoded: libpq would take a piece of the password for a host or a port,
// and show it in its messages. The error quotes nothing of the URL.
absl::StatusOr<Location> ParseLocation(absl::string_view url, const PostgresOptions& options = {});

// `message` with every secret of the location replaced by "***".
std::string WithoutSecrets(const Location& location, absl::string_view message);

}  // namespace gprofhub::store::postgres
