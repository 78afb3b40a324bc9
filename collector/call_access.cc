#include "collector/call_access.h"

#include "absl/strings/string_view.h"

namespace gprofhub::collector {

Access AccessOf(Authorizer& authorizer) {
  Access access;
  access.admit = [&authorizer](absl::string_view authorization) {
    return authorizer.Admit(authorization);
  };
  access.authorize = [&authorizer](absl::string_view authorization, absl::string_view project) {
    return authorizer.Authorize(authorization, project);
  };
  return access;
}

}  // namespace gprofhub::collector
