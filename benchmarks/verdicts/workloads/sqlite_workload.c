// Workload of SQLite: a small shop's tables filled, indexed, searched, joined, grouped, changed and
// checked, in memory, for argv[1] rounds.
#include <stdio.h>
#include <stdlib.h>

#include "sqlite3.h"

static unsigned state = 1;

static int below(int limit) {
  state = state * 1664525u + 1013904223u;
  return (int)((state >> 8) % (unsigned)limit);
}

static void fail(sqlite3* db, const char* sql) {
  fprintf(stderr, "%s: %s\n", sql, sqlite3_errmsg(db));
  exit(1);
}

static long long rows;

static void run(sqlite3* db, const char* sql) {
  sqlite3_stmt* statement;
  if (sqlite3_prepare_v2(db, sql, -1, &statement, NULL) != SQLITE_OK) fail(db, sql);
  while (sqlite3_step(statement) == SQLITE_ROW) {
    for (int i = 0; i < sqlite3_column_count(statement); ++i)
      rows += sqlite3_column_bytes(statement, i);
  }
  if (sqlite3_finalize(statement) != SQLITE_OK) fail(db, sql);
}

static void fill(sqlite3* db) {
  sqlite3_stmt* statement;
  run(db, "CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, region TEXT, credit REAL)");
  run(db,
      "CREATE TABLE product(id INTEGER PRIMARY KEY, name TEXT UNIQUE, price INT, properties TEXT)");
  run(db,
      "CREATE TABLE sale(id INTEGER PRIMARY KEY, customer INT REFERENCES customer, product INT,"
      " amount INT CHECK(amount > 0), day TEXT)");
  run(db, "CREATE TABLE audit(sale INT, note TEXT)");
  run(db,
      "CREATE TRIGGER changed AFTER UPDATE OF amount ON sale BEGIN"
      " INSERT INTO audit VALUES(new.id, 'was ' || old.amount); END");
  run(db, "BEGIN");
  sqlite3_prepare_v2(db, "INSERT INTO customer VALUES(?, 'Customer ' || ?, 'region-' || ?, ?)", -1,
                     &statement, NULL);
  for (int i = 1; i <= 1500; ++i) {
    sqlite3_bind_int(statement, 1, i);
    sqlite3_bind_int(statement, 2, below(100000));
    sqlite3_bind_int(statement, 3, i % 16);
    sqlite3_bind_double(statement, 4, below(10000) / 100.0);
    sqlite3_step(statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  sqlite3_prepare_v2(db,
                     "INSERT INTO product VALUES(?, 'Product ' || ?, ?,"
                     " json_object('sku', 'S' || ?, 'tags', json_array(? % 7, 'x', ? % 11)))",
                     -1, &statement, NULL);
  for (int i = 1; i <= 700; ++i) {
    for (int j = 1; j <= 6; ++j) sqlite3_bind_int(statement, j, j == 3 ? below(5000) : i);
    sqlite3_step(statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  sqlite3_prepare_v2(db,
                     "INSERT INTO sale VALUES(?, ?, ?, ?, date('2020-01-01', '+' || ? || ' days'))",
                     -1, &statement, NULL);
  for (int i = 1; i <= 8000; ++i) {
    sqlite3_bind_int(statement, 1, i);
    sqlite3_bind_int(statement, 2, 1 + below(1500));
    sqlite3_bind_int(statement, 3, 1 + below(700));
    sqlite3_bind_int(statement, 4, 1 + below(9));
    sqlite3_bind_int(statement, 5, below(900));
    sqlite3_step(statement);
    sqlite3_reset(statement);
  }
  sqlite3_finalize(statement);
  run(db, "COMMIT");
}

static void ask(sqlite3* db) {
  run(db, "CREATE INDEX sale_by_customer ON sale(customer, day)");
  run(db, "CREATE INDEX sale_by_product ON sale(product)");
  run(db, "ANALYZE");
  run(db,
      "SELECT region, count(*), sum(amount * price) FROM sale JOIN customer ON customer = "
      "customer.id"
      " JOIN product ON product = product.id GROUP BY region ORDER BY 3 DESC");
  run(db,
      "SELECT name, (SELECT count(*) FROM sale WHERE product = p.id) FROM product p ORDER BY 2, "
      "name LIMIT 50");
  run(db,
      "SELECT strftime('%Y-%m', day) AS month, total(amount), group_concat(id, '/') FROM sale "
      "GROUP BY month");
  run(db,
      "SELECT DISTINCT json_extract(properties, '$.tags[2]'), json_extract(properties, '$.sku') "
      "FROM product");
  run(db, "SELECT value, count(*) FROM product, json_each(properties, '$.tags') GROUP BY value");
  run(db,
      "SELECT customer, day, sum(amount) OVER (PARTITION BY customer ORDER BY day) FROM sale ORDER "
      "BY customer, day");
  run(db,
      "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 6000)"
      " SELECT sum(i % 7), max(upper(hex(i))), min(printf('%05d', i)) FROM n");
  run(db,
      "SELECT name FROM customer WHERE name LIKE '%99%' OR region GLOB '*-1[0-3]' ORDER BY name "
      "COLLATE NOCASE");
  run(db,
      "SELECT id FROM sale WHERE day BETWEEN '2020-06-01' AND '2020-09-01' EXCEPT SELECT id FROM "
      "sale WHERE amount < 5");
  for (int i = 0; i < 400; ++i) {
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT s.id, name FROM sale s JOIN product p ON s.product = p.id"
             " WHERE customer = %d AND amount > %d ORDER BY day DESC LIMIT 3",
             1 + below(1500), below(9));
    run(db, sql);
  }
  run(db, "UPDATE sale SET amount = amount + 1 WHERE id % 5 = 0");
  run(db, "DELETE FROM sale WHERE product IN (SELECT id FROM product WHERE price < 400)");
  run(db, "SAVEPOINT s");
  run(db, "UPDATE customer SET credit = credit * 1.01, region = lower(region) WHERE id % 3 = 0");
  run(db, "ROLLBACK TO s");
  run(db, "RELEASE s");
  run(db, "PRAGMA integrity_check");
}

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int i = 0; i < rounds; ++i) {
    sqlite3* db;
    if (sqlite3_open(":memory:", &db) != SQLITE_OK) fail(db, "open");
    fill(db);
    ask(db);
    sqlite3_close(db);
  }
  printf("%lld\n", rows);
  return 0;
}
