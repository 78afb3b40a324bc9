// Writes rows of the audit log (store/audit_log.h) in the transaction of the audited action.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// An audited action. Texts are sanitised: bytes that are not UTF-8 become '?', long texts are cut.
struct Deed {
  absl::string_view project;
  absl::string_view action;
  absl::string_view subject;
  absl::string_view detail;
};

// As Session::Send.
absl::Status AddAuditRow(Session& session, const Actor& actor, const Deed& deed, absl::Time time);

}  // namespace gprofhub::store::sql
