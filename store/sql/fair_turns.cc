#include "store/sql/fair_turns.h"

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sql {
std::string NextTurn(absl::string_view project) {
  return absl::StrCat(
      "(SELECT CASE WHEN queue > own THEN queue ELSE own END FROM (SELECT "
      "COALESCE((SELECT MIN(turn) FROM job AS any_job "
      "WHERE any_job.state = 'pending' AND any_job.turn > 0), 1) AS queue, "
      "COALESCE((SELECT MAX(turn) FROM job AS own_job "
      "WHERE own_job.state = 'pending' AND own_job.project = ",
      project, "), 0) + 1 AS own) AS turns)");
}

absl::Status GiveTurnToJob(Session& session, int64_t job_id) {
  return session.Execute(absl::StrCat("UPDATE job SET turn = ", NextTurn("job.project"),
                                      " WHERE id = $1 AND state = 'pending' AND turn = 0"),
                         {job_id});
}

}  // namespace gprofhub::store::sql
