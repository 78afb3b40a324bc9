// What was gated, and what people said to it.
#pragma once

#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/records.h"
#include "store/sql/database.h"

namespace gprofhub::sql {

// As the Store's methods of these names.
absl::StatusOr<int64_t> AddAcknowledgement(Session& session, const AcknowledgementRecord& record);
absl::StatusOr<std::vector<AcknowledgementRecord>> ListAcknowledgements(Session& session,
                                                                        absl::string_view project);
absl::Status AddGated(Session& session, const std::vector<GatedRecord>& records);
absl::StatusOr<std::vector<GatedRecord>> ListGated(Session& session, absl::string_view project);

}  // namespace gprofhub::sql
