// The rows of the audit log (store/audit_log.h), for whoever writes what they tell of: the row and
// the deed are one transaction.
#pragma once

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "store/records/records.h"
#include "store/sql/database.h"

namespace gprofhub::store::sql {

// What was done. Texts that cannot be stored are made so: '?' for what is not UTF-8, and cut.
struct Deed {
  absl::string_view project;
  absl::string_view action;
  absl::string_view subject;
  absl::string_view detail;
};

// As Session::Send.
absl::Status AddAuditRow(Session& session, const Actor& actor, const Deed& deed, absl::Time time);

}  // namespace gprofhub::store::sql
