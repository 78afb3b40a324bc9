// Detects a pooler between a connection and the server.
#pragma once

#include <libpq-fe.h>

namespace gprofhub::store::postgres {

// Whether the process of the server that answers is the one that the connection was made with. A
// pooler names another one: what clients use to cancel a statement is its own.
bool SpeaksToOneProcess(PGconn* connection);

}  // namespace gprofhub::store::postgres
