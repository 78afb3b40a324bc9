// The Store over a relational database.
#pragma once

#include <memory>

#include "store/sql/database.h"
#include "store/store.h"

namespace gprofhub::sql {

// `database` has the current schema.
std::unique_ptr<Store> MakeSqlStore(std::unique_ptr<Database> database);

}  // namespace gprofhub::sql
