#include "store/sql/migrations.h"

#include <algorithm>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "store/sql/audit_rows.h"
#include "store/sql/properties.h"

namespace gprofhub::store {
namespace {

// The first version that has the table of properties, and that which has the audit log.
constexpr int64_t kHasProperties = 11;
constexpr int64_t kHasAudit = 9;

}  // namespace

absl::StatusOr<absl::Span<const Migration>> StepsToOpen(const SchemaVersion& database,
                                                        absl::Span<const Migration> steps,
                                                        bool migrate) {
  const int64_t newest = static_cast<int64_t>(steps.size());
  const int64_t version = database.version;
  if (version < 0) {
    return absl::DataLossError(
        absl::StrCat("the database has schema version ", version, ", which never existed"));
  }
  if (version > newest) {
    if (database.min_compatible != 0 && database.min_compatible <= newest) {
      return absl::Span<const Migration>();
    }
    return absl::FailedPreconditionError(absl::StrCat(
        "the database has schema version ", version, ", but this gprofhub knows no version after ",
        newest,
        database.min_compatible == 0
            ? std::string()
            : absl::StrCat(", and version ", database.min_compatible, " is the oldest that works"),
        ": use the gprofhub that wrote the database, or a newer one"));
  }
  if (version != 0 && version != newest && !migrate) {
    return absl::FailedPreconditionError(absl::StrCat(
        "the database has schema version ", version, ", and this gprofhub needs version ", newest,
        ": make a backup, then run `gprofhub admin migrate`"));
  }
  return steps.subspan(static_cast<size_t>(version));
}

int64_t MinCompatible(absl::Span<const Migration> steps) {
  int64_t oldest = 0;
  for (const Migration& step : steps) {
    oldest = std::max(oldest, step.works_since == 0 ? step.version : step.works_since);
  }
  return oldest;
}

namespace sql {

absl::Status RecordMigration(Session& session, absl::Span<const Migration> made,
                             absl::Span<const Migration> all, const Opening& opening) {
  if (made.empty()) return absl::OkStatus();
  const int64_t before = made.front().version - 1;
  const int64_t now = made.back().version;
  if (now >= kHasProperties) {
    absl::Status status = SetProperty(session, kMinCompatibleVersion, MinCompatible(all));
    if (!status.ok()) return status;
  }
  if (before == 0 || now < kHasAudit) return absl::OkStatus();
  const std::string subject = absl::StrCat("schema version ", now);
  const std::string detail = absl::StrCat("from version ", before);
  return AddAuditRow(session, opening.by, {"", "store.migrate", subject, detail}, opening.now);
}

}  // namespace sql

}  // namespace gprofhub::store
