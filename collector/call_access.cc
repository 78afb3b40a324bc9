#include "collector/call_access.h"

#include <string>

namespace gprofhub::collector {

Access AccessOf(Authorizer& authorizer, Quotas* quotas) {
  Access access;
  access.authenticate = [&authorizer](const CallOrigin& call) {
    return authorizer.Authenticate(call);
  };
  access.note_refusal = [&authorizer](const CallOrigin& call, const store::Actor& who,
                                      const absl::Status& why) {
    authorizer.NoteRefusal(call, who, why);
  };
  if (quotas != nullptr) {
    access.take_call = [quotas](const std::string& project) { return quotas->TakeCall(project); };
  }
  return access;
}

}  // namespace gprofhub::collector
