// Detects a pooler between a connection and the server.
#pragma once

#include <libpq-fe.h>

namespace gprofhub::store::postgres {

// Whether the server process that answers is the one that the connection was made with. A pooler
// reports another process id: it hands out cancellation keys of its own.
bool SpeaksToOneProcess(PGconn* connection);

}  // namespace gprofhub::store::postgres
