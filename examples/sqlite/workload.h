// Daily database work of a small shop: load, look up, report.
//
// It is deterministic: a fixed-seed generator, no clock, memory only. A count that
// differs between two runs comes from different code, never from the input.
#ifndef SQLITE_EXAMPLE_WORKLOAD_H_
#define SQLITE_EXAMPLE_WORKLOAD_H_

#include "database.h"

namespace sqlite_example {

struct Size {
  int customers;
  int products;
  int orders;
};

// Each step expects the steps before it. It ends the program with a message when the
// database gives a wrong answer.
void CreateTables(Database& database);
void LoadShop(Database& database, const Size& size);
void LookUpByIndex(Database& database, const Size& size);
void ScanWithoutIndex(Database& database, const Size& size);
void ReportByJoin(Database& database, const Size& size);
void AggregateAndRank(Database& database, const Size& size);
void ReadAndChangeJson(Database& database, const Size& size);
void SearchByProperty(Database& database, const Size& size);
void UpdateInTransactions(Database& database, const Size& size);

}  // namespace sqlite_example

#endif  // SQLITE_EXAMPLE_WORKLOAD_H_
