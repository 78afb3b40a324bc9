#include "store/sql/audit_rows.h"

#include <string>

#include "store/sql/clean_text.h"

namespace gprofhub::store::sql {
namespace {

constexpr size_t kMaxBytes = 1000;

}  // namespace

absl::Status AddAuditRow(Session& session, const Actor& actor, const Deed& deed, absl::Time time) {
  const std::string project = CleanText(deed.project, kMaxBytes);
  const std::string name = CleanText(actor.name, kMaxBytes);
  const std::string origin = CleanText(actor.origin, kMaxBytes);
  const std::string action = CleanText(deed.action, kMaxBytes);
  const std::string subject = CleanText(deed.subject, kMaxBytes);
  const std::string detail = CleanText(deed.detail, kMaxBytes);
  return session.Send(
      "INSERT INTO audit (time_us, project, actor, origin, action, subject, detail) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7)",
      {absl::ToUnixMicros(time), project, name, origin, action, subject, detail});
}

}  // namespace gprofhub::store::sql
