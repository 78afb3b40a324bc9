// SQLite's C interface with owners for its handles and one way to fail.
#ifndef SQLITE_EXAMPLE_DATABASE_H_
#define SQLITE_EXAMPLE_DATABASE_H_

#include <cstdint>
#include <memory>
#include <string>

#include "sqlite3.h"

namespace sqlite_example {

// Ends the program with `what` and SQLite's message unless `condition` holds. The
// workload is a test, and a wrong answer from the database fails it.
void Check(bool condition, const std::string& what, sqlite3* database = nullptr);

class Statement;

class Database {
 public:
  // `path` as in sqlite3_open, for example ":memory:".
  explicit Database(const std::string& path);

  // Runs statements that take no parameters and whose rows do not matter.
  void Execute(const std::string& sql);

  Statement Prepare(const std::string& sql);

  // The first column of the first row of `sql`.
  std::int64_t Integer(const std::string& sql);

  sqlite3* handle() const { return handle_.get(); }

 private:
  struct Close {
    void operator()(sqlite3* handle) const { sqlite3_close(handle); }
  };
  std::unique_ptr<sqlite3, Close> handle_;
};

// A prepared statement; it must not outlive its database.
class Statement {
 public:
  Statement(sqlite3* database, const std::string& sql);

  // `position` counts from 1.
  Statement& Bind(int position, std::int64_t value);
  Statement& Bind(int position, double value);
  Statement& Bind(int position, const std::string& value);

  // True while there is a row to read. After the last row the statement is reset. It
  // can be bound and run again.
  bool Step();

  // Runs to the end and returns how many rows there were.
  std::int64_t Drain();

  // Columns of the present row count from 0.
  std::int64_t Integer(int column) const { return sqlite3_column_int64(handle_.get(), column); }
  double Real(int column) const { return sqlite3_column_double(handle_.get(), column); }
  std::string Text(int column) const;

 private:
  struct Finalize {
    void operator()(sqlite3_stmt* handle) const { sqlite3_finalize(handle); }
  };
  sqlite3* database_;
  std::unique_ptr<sqlite3_stmt, Finalize> handle_;
};

}  // namespace sqlite_example

#endif  // SQLITE_EXAMPLE_DATABASE_H_
