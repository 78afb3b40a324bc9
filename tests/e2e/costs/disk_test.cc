// A shop's orders on a disk: each is a transaction of its own, and durable when it is committed.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>

#include "database.h"

// Long enough for a test's wait to be seen reliably.
__attribute__((noinline)) void WaitForTheCustomer() {
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
}

int main() {
  using namespace sqlite_example;
  const std::string path = std::string(std::getenv("TEST_TMPDIR")) + "/shop.db";
  std::remove(path.c_str());
  constexpr int kOrders = 40, kLines = 25;

  Database database(path);
  database.Execute("CREATE TABLE line(orders INTEGER, product INTEGER, text TEXT)");
  {
    Statement insert = database.Prepare("INSERT INTO line VALUES(?, ?, ?)");
    for (int order = 0; order < kOrders; ++order) {
      database.Execute("BEGIN");
      for (int line = 0; line < kLines; ++line) {
        insert.Bind(1, std::int64_t{order}).Bind(2, std::int64_t{line}).Bind(3, "a line").Drain();
      }
      database.Execute("COMMIT");
    }
  }
  WaitForTheCustomer();
  Check(database.Integer("SELECT count(*) FROM line") == kOrders * kLines, "every line is there");
}
