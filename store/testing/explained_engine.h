// Captures the query plans of an engine's statements.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// Called with each statement, before it runs, and with the lines of its plan: the output of
// SQLite's EXPLAIN QUERY PLAN or PostgreSQL's EXPLAIN. PostgreSQL's planner is configured to scan
// whole tables, and to join other than row by row, only where it has no other way: so the plan
// shows which indexes exist, even for small tables.
using OnPlan = std::function<void(absl::string_view statement, std::vector<std::string> plan)>;

// The engine, with each statement explained. `is_postgres` selects the format.
sql::Engine Explained(const sql::Engine& engine, bool is_postgres, OnPlan on_plan);

}  // namespace gprofhub::store
