// How an engine gets at the rows that statements ask for.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "store/sql/engine.h"

namespace gprofhub::store {

// Is told of each statement, before it runs, and of the lines of its plan: what SQLite's EXPLAIN
// QUERY PLAN or PostgreSQL's EXPLAIN says. PostgreSQL is told to read whole tables, and
// to join other than row by row, only where it has no other way: so the plan says which indexes
// there are, however few rows the tables have.
using OnPlan = std::function<void(absl::string_view statement, std::vector<std::string> plan)>;

// The engine, each of whose statements is explained. `is_postgres` says in whose words.
sql::Engine Explained(const sql::Engine& engine, bool is_postgres, OnPlan on_plan);

}  // namespace gprofhub::store
