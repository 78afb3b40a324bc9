#include "collector/call_access.h"

namespace gprofhub::collector {

Access AccessOf(Authorizer& authorizer) {
  Access access;
  access.authenticate = [&authorizer](const CallOrigin& call) {
    return authorizer.Authenticate(call);
  };
  access.note_refusal = [&authorizer](const CallOrigin& call, const store::Actor& who,
                                      const absl::Status& why) {
    authorizer.NoteRefusal(call, who, why);
  };
  return access;
}

}  // namespace gprofhub::collector
