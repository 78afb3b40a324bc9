#include "collector/access/caller.h"

#include "absl/strings/str_cat.h"

namespace gprofhub::collector {

absl::Status Permit(const Caller& caller, absl::string_view project, Scope scope) {
  if (!caller.anonymous && caller.project != project) {
    return absl::PermissionDeniedError(
        absl::StrCat("the token belongs to another project than \"", project, "\""));
  }
  if (caller.scopes.Has(scope)) return absl::OkStatus();
  return absl::PermissionDeniedError(
      absl::StrCat("the token has the scopes ", caller.scopes.Names(), "; this needs ",
                   NameOf(scope), " (`gprofhub token create --scope`)"));
}

}  // namespace gprofhub::collector
