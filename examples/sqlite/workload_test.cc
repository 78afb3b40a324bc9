#include "workload.h"

int main() {
  using namespace sqlite_example;
  const Size size = {/*customers=*/2000, /*products=*/3000, /*orders=*/20000};
  Database database(":memory:");
  CreateTables(database);
  LoadShop(database, size);
  for (int day = 0; day < 3; ++day) {
    LookUpByIndex(database, size);
    ScanWithoutIndex(database, size);
    ReportByJoin(database, size);
    AggregateAndRank(database, size);
    ReadAndChangeJson(database, size);
    SearchByProperty(database, size);
    UpdateInTransactions(database, size);
  }
  Check(database.Integer("SELECT count(*) FROM pragma_integrity_check WHERE integrity_check = "
                         "'ok'") == 1,
        "the database is intact");
}
