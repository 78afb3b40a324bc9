// Access of calls: authentication by tokens and limits by quotas.
#pragma once

#include "collector/access/authorizer.h"
#include "collector/calls/method.h"
#include "collector/quotas/quotas.h"

namespace gprofhub::collector {

// `authorizer` and `quotas` outlive it. Null: calls have no quota.
Access AccessOf(Authorizer& authorizer, Quotas* quotas = nullptr);

}  // namespace gprofhub::collector
