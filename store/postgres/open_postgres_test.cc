#include "store/postgres/open_postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "store/blob_name.h"
#include "store/contract/suite.h"
#include "store/store.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::store::postgres {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

const Opening kMigrate = {true, {"operator", "host", 0}, absl::UnixEpoch()};

// Makes a database of version 11 one of version 9.
constexpr char kUndo10And11[] =
    "DROP TABLE property; DROP TABLE retention; DROP INDEX image_by_bundle; "
    "DROP INDEX profile_by_gmon; DROP INDEX blob_right_by_name; DROP INDEX gated_by_run; "
    "DROP INDEX run_by_base; DROP INDEX job_failed; DROP INDEX report_job_failed; "
    "ALTER TABLE blob DROP COLUMN unused_since_us; ALTER TABLE run DROP COLUMN raw_removed; "
    "ALTER TABLE execution DROP COLUMN profiles_removed, DROP COLUMN profiles_from; ";

TokenRecord SomeToken() {
  TokenRecord token;
  token.project = "sqlite";
  token.token_sha256 = "hash";
  token.scopes = "read";
  return token;
}

// One for all tests; nullptr, and a failure, if it does not start.
tests::PostgresServer* Server() {
  static absl::StatusOr<std::unique_ptr<tests::PostgresServer>> server =
      tests::PostgresServer::Start();
  EXPECT_TRUE(server.ok()) << server.status();
  return server.ok() ? server->get() : nullptr;
}

struct Database {
  std::string name;
  std::string url;  // empty if it could not be created
};

Database NewDatabase(const std::string& encoding = "UTF8") {
  static std::atomic<int> count{0};
  Database database;
  database.name = absl::StrCat("test_", ++count);
  if (tests::PostgresServer* server = Server()) {
    const absl::StatusOr<std::string> url = server->CreateDatabase(database.name, encoding);
    EXPECT_TRUE(url.ok()) << url.status();
    if (url.ok()) database.url = *url;
  }
  return database;
}

class PostgresHome final : public StoreHome {
 public:
  explicit PostgresHome(Database database) : database_(std::move(database)) {}
  absl::StatusOr<sql::Engine> Open() override { return OpenPostgres(database_.url); }
  std::string location() const override { return database_.url; }
  void DamageRows(const std::string& statement) override {
    const absl::Status status =
        Server()->Execute(database_.name, "SET session_replication_role = replica; " + statement);
    EXPECT_TRUE(status.ok()) << status;
  }

 private:
  const Database database_;
};

std::unique_ptr<StoreHome> NewPostgresHome() {
  const Database database = NewDatabase();
  return database.url.empty() ? nullptr : std::make_unique<PostgresHome>(database);
}

INSTANTIATE_TEST_SUITE_P(Postgres, StoreContractTest, testing::Values(&NewPostgresHome));

TEST(PostgresStoreTest, GoesOnAfterTheServerWasStartedAgain) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const Store store(*OpenPostgres(database.url));
  ASSERT_TRUE(store.tokens.Create(SomeToken(), {}).ok());
  ASSERT_TRUE(Server()->Stop().ok());
  const absl::Status down = store.tokens.Find("hash").status();
  EXPECT_EQ(down.code(), absl::StatusCode::kUnavailable) << down;
  EXPECT_THAT(std::string(down.message()), Not(HasSubstr(tests::PostgresServer::kPassword)));
  ASSERT_TRUE(Server()->StartAgain().ok());
  EXPECT_TRUE(store.tokens.Find("hash").ok());
}

TEST(PostgresStoreTest, AConnectionThatWasCutWhileIdleIsNotNoticed) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const Store store(*OpenPostgres(database.url));
  // The function returns once the connection's process has ended.
  ASSERT_TRUE(Server()
                  ->Execute("postgres",
                            "SELECT pg_terminate_backend(pid, 600000) FROM pg_stat_activity WHERE "
                            "application_name = 'gprofhub'")
                  .ok());
  EXPECT_TRUE(store.tokens.Create(SomeToken(), {}).ok());
}

TEST(PostgresStoreTest, AWrongPasswordIsNotShown) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const std::string url = absl::StrReplaceAll(database.url, {{"s3cret%2Fof%40tests", "wr0ng%21"}});
  const absl::Status status = OpenPostgres(url).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("password authentication failed"));
  EXPECT_THAT(std::string(status.message()), Not(HasSubstr("wr0ng")));
}

TEST(PostgresStoreTest, ADatabaseThatIsNotThereIsUnavailable) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const std::string url = absl::StrReplaceAll(database.url, {{database.name, "nowhere"}});
  const absl::Status status = OpenPostgres(url).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("nowhere"));
}

TEST(PostgresStoreTest, ADatabaseOfAnotherEncodingIsRefused) {
  const Database database = NewDatabase("SQL_ASCII");
  ASSERT_FALSE(database.url.empty());
  const absl::Status status = OpenPostgres(database.url).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("SQL_ASCII"));
}

TEST(PostgresStoreTest, ADatabaseOfANewerProgramIsRefused) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  ASSERT_TRUE(OpenPostgres(database.url).ok());
  ASSERT_TRUE(Server()
                  ->Execute(database.name,
                            "INSERT INTO schema_version (version) VALUES (999); UPDATE property "
                            "SET value = 999 WHERE name = 'min_compatible_version'")
                  .ok());
  const absl::Status status = OpenPostgres(database.url).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 999"));
}

TEST(PostgresStoreTest, ADatabaseFromBeforeScopesGivesBlobsToTheirProjectsAndTokensWhatCiNeeds) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = "run";
  execution.run.commit = "1111111";
  execution.run.committed = absl::FromUnixSeconds(253'000'000'000);  // about the year 9987
  execution.execution.target = "//db:query_test";
  execution.profiles = {{"gmon.1", "b1d1", NameBlob("gmon")}};
  execution.images = {{"b1d1", NameBlob("symbols")}};
  execution.blobs = {{NameBlob("gmon"), "gmon"}, {NameBlob("symbols"), "symbols"}};
  {
    const Store store(*OpenPostgres(database.url));
    ASSERT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
    ASSERT_TRUE(store.tokens.Create(SomeToken(), {}).ok());
  }
  const absl::Status undone = Server()->Execute(
      database.name,
      absl::StrCat(
          kUndo10And11,
          "UPDATE run SET ordered_us = committed_us; DROP TABLE audit; DROP FUNCTION "
          "audit_is_append_only; DROP TABLE blob_right; ALTER TABLE run DROP COLUMN sender; "
          "ALTER TABLE acknowledgement DROP COLUMN token_id, DROP COLUMN taken_back_us, DROP "
          "COLUMN "
          "taken_back_by; ALTER TABLE token DROP COLUMN scopes, DROP COLUMN expires_us, DROP "
          "COLUMN "
          "last_used_us, DROP COLUMN replaced_by; DELETE FROM schema_version WHERE version >= 9"));
  ASSERT_TRUE(undone.ok()) << undone;
  const absl::Status refused = OpenPostgres(database.url).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(std::string(refused.message()), HasSubstr("gprofhub admin migrate"));
  const Store store(*OpenPostgres(database.url, kMigrate));
  const std::vector<BlobName> names = {NameBlob("gmon"), NameBlob("symbols")};
  EXPECT_TRUE(store.blobs.FindMissing("sqlite", names)->empty());
  EXPECT_EQ(*store.blobs.FindMissing("other", names), names);
  EXPECT_EQ(store.tokens.Find("hash")->scopes, "upload,upload-main,read");
  EXPECT_EQ(store.reading.ReadRun(1)->ordered, absl::UnixEpoch() + kClockSkew);
}

TEST(PostgresStoreTest, ANewerDatabaseOnWhichThisProgramWorksIsUsed) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  ASSERT_TRUE(OpenPostgres(database.url).ok());
  // As the next release leaves it, whose step only adds something.
  ASSERT_TRUE(Server()
                  ->Execute(database.name,
                            "INSERT INTO schema_version (version) SELECT max(version) + 1 FROM "
                            "schema_version; CREATE TABLE addition (id bigint)")
                  .ok());
  const Store store(*OpenPostgres(database.url));
  EXPECT_TRUE(store.tokens.Create(SomeToken(), {}).ok());
  ASSERT_TRUE(Server()
                  ->Execute(database.name,
                            "UPDATE property SET value = (SELECT max(version) FROM schema_version) "
                            "WHERE name = 'min_compatible_version'")
                  .ok());
  EXPECT_EQ(OpenPostgres(database.url, kMigrate).status().code(),
            absl::StatusCode::kFailedPrecondition);
}

TEST(PostgresStoreTest, TheAuditLogIsAppendOnly) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const Store store(*OpenPostgres(database.url));
  ASSERT_TRUE(store.audit.Add({AuditRecord()}).ok());
  for (const char* change :
       {"DELETE FROM audit", "UPDATE audit SET actor = 'nobody'", "TRUNCATE audit"}) {
    EXPECT_FALSE(Server()->Execute(database.name, change).ok()) << change;
  }
  EXPECT_EQ(store.audit.List({})->size(), 1u);
}

TEST(PostgresStoreTest, ATransactionThatFailsHalfWayLeavesNothing) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const Store store(*OpenPostgres(database.url));
  // The last statement of an ingest meets a full disk.
  ASSERT_TRUE(Server()
                  ->Execute(database.name,
                            "CREATE FUNCTION full_disk() RETURNS trigger LANGUAGE plpgsql AS "
                            "$$ BEGIN RAISE disk_full; END $$; CREATE TRIGGER full_disk BEFORE "
                            "INSERT ON job FOR EACH ROW EXECUTE FUNCTION full_disk()")
                  .ok());
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = "run";
  execution.run.commit = "1111111";
  execution.execution.target = "//db:query_test";
  execution.profiles = {{"gmon.1", "b1d1", NameBlob("gmon")}};
  execution.images = {{"b1d1", NameBlob("symbols")}};
  execution.blobs = {{NameBlob("gmon"), "gmon"}, {NameBlob("symbols"), "symbols"}};
  const absl::Status status = store.ingest.RecordExecution(execution, absl::UnixEpoch()).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kResourceExhausted) << status;
  EXPECT_THAT(std::string(status.message()), HasSubstr("free or add space"));
  RunFilter filter;
  filter.project = "sqlite";
  EXPECT_TRUE(store.reading.ListRuns(filter)->empty());
  EXPECT_EQ(store.blobs.FindMissing("sqlite", {NameBlob("gmon")})->size(), 1u);
  ASSERT_TRUE(Server()->Execute(database.name, "DROP TRIGGER full_disk ON job").ok());
  EXPECT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
}

}  // namespace
}  // namespace gprofhub::store::postgres
