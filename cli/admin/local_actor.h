// The principal of commands that work on the store itself, without a server.
#pragma once

#include "store/records/records.h"

namespace gprofhub::cli {

// The user of this process and this machine's name, for the audit log. They come from the system,
// not from the environment.
store::Actor LocalActor();

}  // namespace gprofhub::cli
