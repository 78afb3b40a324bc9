// The word of tokens and quotas on calls, for whoever takes them.
#pragma once

#include "collector/access/authorizer.h"
#include "collector/calls/method.h"
#include "collector/quotas/quotas.h"

namespace gprofhub::collector {

// `authorizer` and `quotas` outlive it. Null: calls have no quota.
Access AccessOf(Authorizer& authorizer, Quotas* quotas = nullptr);

}  // namespace gprofhub::collector
