#include "store/sql/properties.h"

namespace gprofhub::store::sql {

absl::StatusOr<int64_t> ReadProperty(Session& session, absl::string_view name) {
  absl::StatusOr<Rows> rows = session.Query("SELECT value FROM property WHERE name = $1", {name});
  if (!rows.ok()) return rows.status();
  return rows->empty() ? 0 : rows->front().Number(0);
}

absl::Status SetProperty(Session& session, absl::string_view name, int64_t value) {
  return session.Execute(
      "INSERT INTO property (name, value) VALUES ($1, $2) "
      "ON CONFLICT (name) DO UPDATE SET value = excluded.value",
      {name, value});
}

}  // namespace gprofhub::store::sql
