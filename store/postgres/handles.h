// Owning handles of libpq's objects.
//
// libpq and not libpqxx: libpqxx 6.4, Debian's, cannot send several statements with parameters
// before it waits for an answer (pipeline.h).
#pragma once

#include <libpq-fe.h>

#include <memory>

namespace gprofhub::store::postgres {

struct CloseConnection {
  void operator()(PGconn* connection) const { PQfinish(connection); }
};
using ConnectionHandle = std::unique_ptr<PGconn, CloseConnection>;

struct ClearResult {
  void operator()(PGresult* result) const { PQclear(result); }
};
using ResultHandle = std::unique_ptr<PGresult, ClearResult>;

}  // namespace gprofhub::store::postgres
