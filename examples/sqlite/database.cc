#include "database.h"

#include <cstdio>
#include <cstdlib>

namespace sqlite_example {

void Check(bool condition, const std::string& what, sqlite3* database) {
  if (condition) return;
  std::fprintf(stderr, "FAILED: %s%s%s\n", what.c_str(), database ? ": " : "",
               database ? sqlite3_errmsg(database) : "");
  std::exit(1);
}

Database::Database(const std::string& path) {
  sqlite3* opened = nullptr;
  const int status = sqlite3_open(path.c_str(), &opened);
  handle_.reset(opened);
  Check(status == SQLITE_OK, "open " + path, opened);
}

void Database::Execute(const std::string& sql) {
  Check(sqlite3_exec(handle(), sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK, sql, handle());
}

Statement Database::Prepare(const std::string& sql) { return Statement(handle(), sql); }

std::int64_t Database::Integer(const std::string& sql) {
  Statement statement = Prepare(sql);
  Check(statement.Step(), sql + " gives a row", handle());
  return statement.Integer(0);
}

Statement::Statement(sqlite3* database, const std::string& sql) : database_(database) {
  sqlite3_stmt* prepared = nullptr;
  const int status = sqlite3_prepare_v2(database, sql.c_str(), -1, &prepared, nullptr);
  handle_.reset(prepared);
  Check(status == SQLITE_OK, sql, database);
}

Statement& Statement::Bind(int position, std::int64_t value) {
  Check(sqlite3_bind_int64(handle_.get(), position, value) == SQLITE_OK, "bind", database_);
  return *this;
}

Statement& Statement::Bind(int position, double value) {
  Check(sqlite3_bind_double(handle_.get(), position, value) == SQLITE_OK, "bind", database_);
  return *this;
}

Statement& Statement::Bind(int position, const std::string& value) {
  Check(sqlite3_bind_text(handle_.get(), position, value.data(), static_cast<int>(value.size()),
                          SQLITE_TRANSIENT) == SQLITE_OK,
        "bind", database_);
  return *this;
}

bool Statement::Step() {
  const int status = sqlite3_step(handle_.get());
  if (status == SQLITE_ROW) return true;
  Check(status == SQLITE_DONE, sqlite3_sql(handle_.get()), database_);
  sqlite3_reset(handle_.get());
  return false;
}

std::int64_t Statement::Drain() {
  std::int64_t rows = 0;
  while (Step()) ++rows;
  return rows;
}

std::string Statement::Text(int column) const {
  const unsigned char* text = sqlite3_column_text(handle_.get(), column);
  return text == nullptr ? std::string() : reinterpret_cast<const char*>(text);
}

}  // namespace sqlite_example
