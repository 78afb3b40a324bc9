// The tokens' word on calls, for whoever takes them.
#pragma once

#include "collector/access/authorizer.h"
#include "collector/calls/method.h"

namespace gprofhub::collector {

// `authorizer` outlives it.
Access AccessOf(Authorizer& authorizer);

}  // namespace gprofhub::collector
