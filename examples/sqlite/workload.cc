#include "workload.h"

#include <string>

namespace sqlite_example {
namespace {

constexpr int kRegions = 16;
constexpr int kLinesPerOrder = 3;

// A linear congruential generator: the same numbers on every machine.
class Generator {
 public:
  explicit Generator(std::uint64_t seed) : state_(seed) {}

  // Evenly distributed in [0, limit).
  std::int64_t Below(std::int64_t limit) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<std::int64_t>((state_ >> 33) % static_cast<std::uint64_t>(limit));
  }

 private:
  std::uint64_t state_;
};

std::string Region(std::int64_t number) { return "region-" + std::to_string(number % kRegions); }

std::string ProductProperties(std::int64_t product, Generator& generator) {
  const std::string n = std::to_string(product);
  return R"({"sku":"SKU-)" + n + R"(","tags":["t)" + std::to_string(product % 7) + R"(","t)" +
         std::to_string(product % 11) + R"("],"size":{"w":)" + std::to_string(generator.Below(90)) +
         R"(,"h":)" + std::to_string(generator.Below(90)) + R"(},"stock":)" +
         std::to_string(generator.Below(1000)) + "}";
}

void LoadCustomers(Database& database, int count) {
  Statement insert =
      database.Prepare("INSERT INTO customer(id, name, region, credit) VALUES(?, ?, ?, ?)");
  Generator generator(1);
  for (int id = 1; id <= count; ++id) {
    insert.Bind(1, std::int64_t{id})
        .Bind(2, "Customer " + std::to_string(generator.Below(1000000)))
        .Bind(3, Region(id))
        .Bind(4, static_cast<double>(generator.Below(100000)) / 100)
        .Drain();
  }
}

void LoadProducts(Database& database, int count) {
  Statement insert =
      database.Prepare("INSERT INTO product(id, name, price, properties) VALUES(?, ?, ?, json(?))");
  Generator generator(2);
  for (int id = 1; id <= count; ++id) {
    insert.Bind(1, std::int64_t{id})
        .Bind(2, "Product " + std::to_string(id))
        .Bind(3, 1 + generator.Below(5000))
        .Bind(4, ProductProperties(id, generator))
        .Drain();
  }
}

void LoadOrders(Database& database, const Size& size) {
  Statement order = database.Prepare("INSERT INTO orders(id, customer, day) VALUES(?, ?, ?)");
  Statement line = database.Prepare(
      "INSERT INTO line(orders, product, quantity, price) "
      "SELECT ?1, id, ?3, price FROM product WHERE id = ?2");
  Generator generator(3);
  for (int id = 1; id <= size.orders; ++id) {
    order.Bind(1, std::int64_t{id})
        .Bind(2, 1 + generator.Below(size.customers))
        .Bind(3, generator.Below(365))
        .Drain();
    for (int i = 0; i < kLinesPerOrder; ++i) {
      line.Bind(1, std::int64_t{id})
          .Bind(2, 1 + generator.Below(size.products))
          .Bind(3, 1 + generator.Below(9))
          .Drain();
    }
  }
}

}  // namespace

void CreateTables(Database& database) {
  database.Execute(R"(
    CREATE TABLE customer(id INTEGER PRIMARY KEY, name TEXT, region TEXT, credit REAL);
    CREATE TABLE product(id INTEGER PRIMARY KEY, name TEXT, price INTEGER, properties TEXT);
    CREATE TABLE orders(id INTEGER PRIMARY KEY, customer INTEGER REFERENCES customer, day INTEGER);
    CREATE TABLE line(id INTEGER PRIMARY KEY, orders INTEGER REFERENCES orders,
                      product INTEGER REFERENCES product, quantity INTEGER, price INTEGER);
    CREATE INDEX orders_by_customer ON orders(customer, day);
    CREATE INDEX line_by_order ON line(orders);
    CREATE INDEX customer_by_region ON customer(region);
    CREATE TRIGGER line_quantity BEFORE UPDATE OF quantity ON line WHEN new.quantity < 0
      BEGIN SELECT raise(ABORT, 'negative quantity'); END;
  )");
}

void LoadShop(Database& database, const Size& size) {
  database.Execute("BEGIN");
  LoadCustomers(database, size.customers);
  LoadProducts(database, size.products);
  LoadOrders(database, size);
  database.Execute("COMMIT; ANALYZE");
  Check(database.Integer("SELECT count(*) FROM line") == std::int64_t{size.orders} * kLinesPerOrder,
        "every order line is loaded");
}

void LookUpByIndex(Database& database, const Size& size) {
  Statement find = database.Prepare(
      "SELECT id, day FROM orders WHERE customer = ? AND day BETWEEN ? AND ? ORDER BY day");
  Generator generator(4);
  std::int64_t found = 0;
  for (int i = 0; i < size.orders; ++i) {
    const std::int64_t day = generator.Below(300);
    find.Bind(1, 1 + generator.Below(size.customers)).Bind(2, day).Bind(3, day + 60);
    found += find.Drain();
  }
  Check(found > 0 && found < std::int64_t{size.orders} * size.orders, "orders are found by index");
}

void ScanWithoutIndex(Database& database, const Size& size) {
  Statement scan =
      database.Prepare("SELECT count(*) FROM customer WHERE name LIKE ? OR credit > ?");
  std::int64_t before = size.customers + 1;
  for (int limit = 0; limit <= 1000; limit += 50) {
    scan.Bind(1, std::string("%777%")).Bind(2, static_cast<double>(limit));
    Check(scan.Step(), "a scan gives a row");
    Check(scan.Integer(0) <= before, "fewer customers have more credit");
    before = scan.Integer(0);
    Check(!scan.Step(), "a count has one row");
  }
}

void ReportByJoin(Database& database, const Size& size) {
  Statement report = database.Prepare(R"(
    SELECT customer.region, count(DISTINCT orders.id), sum(line.quantity * line.price)
    FROM customer JOIN orders ON orders.customer = customer.id
                  JOIN line ON line.orders = orders.id
                  JOIN product ON product.id = line.product
    WHERE product.price > ?
    GROUP BY customer.region ORDER BY 3 DESC)");
  report.Bind(1, std::int64_t{0});
  std::int64_t orders = 0;
  std::int64_t turnover = 0;
  while (report.Step()) {
    orders += report.Integer(1);
    turnover += report.Integer(2);
  }
  Check(orders == size.orders, "every order belongs to one region");
  Check(turnover == database.Integer("SELECT sum(quantity * price) FROM line"),
        "the regions' turnover adds up");
}

void AggregateAndRank(Database& database, const Size& size) {
  Statement rank = database.Prepare(R"(
    WITH spent AS (
      SELECT orders.customer AS id, sum(line.quantity * line.price) AS total
      FROM orders JOIN line ON line.orders = orders.id GROUP BY orders.customer)
    SELECT customer.id, spent.total,
           rank() OVER (PARTITION BY customer.region ORDER BY spent.total DESC) AS place
    FROM spent JOIN customer USING (id)
    ORDER BY customer.region, place)");
  std::int64_t rows = 0;
  std::int64_t previous = 0;
  while (rank.Step()) {
    Check(rank.Integer(2) == 1 || rank.Integer(1) <= previous, "a better place has spent more");
    previous = rank.Integer(1);
    ++rows;
  }
  Check(rows > 0 && rows <= size.customers, "each customer is ranked once");
}

void ReadAndChangeJson(Database& database, const Size& size) {
  Check(database.Integer("SELECT count(*) FROM product WHERE json_valid(properties)") ==
            size.products,
        "properties are JSON");
  database.Execute(R"(
    UPDATE product SET properties =
      json_set(properties, '$.price', price, '$.size.area',
               json_extract(properties, '$.size.w') * json_extract(properties, '$.size.h')))");
  const std::int64_t tags =
      database.Integer("SELECT count(*) FROM product, json_each(product.properties, '$.tags')");
  Check(tags == 2 * std::int64_t{size.products}, "every product has two tags");
  Statement group = database.Prepare(R"(
    SELECT json_group_array(json_object('id', id, 'price', price, 'properties', json(properties)))
    FROM product GROUP BY id % 20)");
  std::int64_t bytes = 0;
  while (group.Step()) bytes += static_cast<std::int64_t>(group.Text(0).size());
  Check(bytes > 50 * std::int64_t{size.products}, "products are written as JSON");
}

void SearchByProperty(Database& database, const Size& size) {
  Statement search = database.Prepare("SELECT count(*) FROM product WHERE properties ->> ?1 < ?2");
  for (const char* property : {"stock", "$.size.w", "$.size.h"}) {
    std::int64_t before = 0;
    for (std::int64_t limit = 20; limit <= 1000; limit += 20) {
      search.Bind(1, std::string(property)).Bind(2, limit);
      Check(search.Step(), "a search gives a row");
      Check(search.Integer(0) >= before, "more products are below a higher limit");
      before = search.Integer(0);
      Check(!search.Step(), "a count has one row");
    }
    Check(before == size.products, "all products are below the highest limit");
  }
}

void UpdateInTransactions(Database& database, const Size& size) {
  Statement update = database.Prepare("UPDATE line SET quantity = quantity + ? WHERE orders = ?");
  Generator generator(5);
  const std::int64_t before = database.Integer("SELECT sum(quantity) FROM line");
  std::int64_t added = 0;
  for (int i = 0; i < size.orders / 4; ++i) {
    const bool keep = generator.Below(4) != 0;
    database.Execute("SAVEPOINT change");
    update.Bind(1, std::int64_t{1}).Bind(2, 1 + generator.Below(size.orders)).Drain();
    if (keep) added += sqlite3_changes(database.handle());
    database.Execute(keep ? "RELEASE change" : "ROLLBACK TO change; RELEASE change");
  }
  Check(database.Integer("SELECT sum(quantity) FROM line") == before + added,
        "kept changes stay and the others do not");
  Check(sqlite3_exec(database.handle(), "UPDATE line SET quantity = -1", nullptr, nullptr,
                     nullptr) == SQLITE_CONSTRAINT,
        "a negative quantity is refused");
}

}  // namespace sqlite_example
