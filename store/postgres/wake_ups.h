// store/sql/wake_ups.h on PostgreSQL: LISTEN and NOTIFY, on a connection of their own.
#pragma once

#include <memory>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/postgres/options.h"
#include "store/sql/wake_ups.h"

namespace gprofhub::store::postgres {

// A thread connects, and reconnects whenever the connection is lost. Behind a pooler LISTEN is
// impossible: then there are no notifications. Errors are ParseLocation's.
absl::StatusOr<std::unique_ptr<sql::WakeUps>> MakeWakeUps(absl::string_view url,
                                                          const PostgresOptions& options = {});

}  // namespace gprofhub::store::postgres
