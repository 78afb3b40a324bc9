// The authenticated caller and its permissions.
#pragma once

#include <optional>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "collector/access/scopes.h"
#include "store/records/records.h"

namespace gprofhub::collector {

// Metadata of a call, available before its first message is read.
struct CallOrigin {
  std::string authorization;  // value of its "authorization" metadata, or empty
  std::string peer;           // its address
  std::string method;         // such as "Upload"
  // Fingerprint of the client's certificate, if it sent no authorization (certificate.h); else
  // empty.
  std::string certificate = {};
};

// Claims of an ID token about the run of its CI job. They override the upload's own fields.
struct RunFacts {
  enum class Kind {
    kBranch,       // the job was started for a branch
    kPullRequest,  // for a pull or merge request
    kUnknown,      // the CI system has no such claim
  };
  Kind kind = Kind::kUnknown;
  std::string branch;        // empty: no such claim
  std::string pull_request;  // empty: no such claim
  bool untrusted = false;    // it may run untrusted code: the run counts as a fork's
};

struct Caller {
  bool anonymous = false;  // no token exists, so none is needed
  std::string project;     // the token's project; empty if anonymous: any
  Scopes scopes;
  store::Actor actor;
  std::optional<RunFacts> run;  // claims of an ID token
};

// PERMISSION_DENIED unless the caller may do this to the project.
absl::Status Permit(const Caller& caller, absl::string_view project, Scope scope);

}  // namespace gprofhub::collector
