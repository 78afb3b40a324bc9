#include "store/postgres/pooler.h"

#include "absl/strings/str_cat.h"
#include "store/postgres/handles.h"

namespace gprofhub::store::postgres {

bool SpeaksToOneProcess(PGconn* connection) {
  const ResultHandle result(PQexec(connection, "SELECT pg_backend_pid()"));
  return PQresultStatus(result.get()) == PGRES_TUPLES_OK &&
         PQgetvalue(result.get(), 0, 0) == absl::StrCat(PQbackendPID(connection));
}

}  // namespace gprofhub::store::postgres
