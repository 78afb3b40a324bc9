#include "store/postgres/open_postgres.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/time/clock.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "store/contract/suite.h"
#include "store/open_store.h"
#include "store/postgres/pipeline.h"
#include "store/sql/database.h"
#include "store/sql/schema.h"
#include "store/summaries.h"
#include "store/validation.h"
#include "tests/postgres/commit_cutter.h"
#include "tests/postgres/postgres_server.h"

namespace gprofhub::store::postgres {

namespace {

// Two clocks that a test sets, and how often the database's was read.
struct Clocks {
  absl::Duration here_ahead = absl::ZeroDuration();
  absl::StatusOr<absl::Duration> there_ahead = absl::ZeroDuration();
  int reads = 0;
  DatabaseClock clock{[this] { return absl::Now() + here_ahead; },
                      [this]() -> absl::StatusOr<absl::Time> {
                        ++reads;
                        if (!there_ahead.ok()) return there_ahead.status();
                        return absl::Now() + *there_ahead;
                      }};
};

bool IsAbout(absl::Duration skew, absl::Duration wanted) {
  return absl::AbsDuration(skew - wanted) < absl::Minutes(1);
}

TEST(DatabaseClockTest, ClocksThatAgreeHaveNoSkewAtAll) {
  Clocks clocks;
  clocks.there_ahead = absl::Milliseconds(300);
  EXPECT_EQ(clocks.clock.Skew(), absl::ZeroDuration());
}

TEST(DatabaseClockTest, TellsHowFarTheyDiffer) {
  Clocks ahead;
  ahead.there_ahead = absl::Hours(1);
  EXPECT_TRUE(IsAbout(ahead.clock.Skew(), absl::Hours(1)));
  Clocks behind;
  behind.here_ahead = absl::Hours(1);
  EXPECT_TRUE(IsAbout(behind.clock.Skew(), -absl::Hours(1)));
}

TEST(DatabaseClockTest, AsksAgainWhenThisClockWasSet) {
  Clocks clocks;
  clocks.clock.Skew();
  clocks.here_ahead = absl::Hours(5);
  EXPECT_TRUE(IsAbout(clocks.clock.Skew(), -absl::Hours(5)));
  EXPECT_GE(clocks.reads, 2);
}

TEST(DatabaseClockTest, KeepsWhatItKnewWhenItCannotAsk) {
  Clocks clocks;
  clocks.there_ahead = absl::Hours(1);
  clocks.clock.Skew();
  clocks.there_ahead = absl::UnavailableError("away");
  clocks.here_ahead = absl::Hours(2);
  EXPECT_TRUE(IsAbout(clocks.clock.Skew(), absl::Hours(1)));
}

using ::testing::HasSubstr;
using ::testing::Not;

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

// Sessions that begin from now on may not write. Older ones keep their setting.
void SetReadOnly(const Database& database, bool read_only) {
  const absl::Status status = Server()->Execute(
      "postgres", absl::StrCat("ALTER DATABASE ", database.name,
                               read_only ? " SET default_transaction_read_only = on"
                                         : " RESET default_transaction_read_only"));
  ASSERT_TRUE(status.ok()) << status;
}

TEST(PostgresStoreTest, AReadOnlyServerIsUnavailableUntilTheNextConnectionMayWrite) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  ASSERT_TRUE(OpenPostgres(database.url).ok());
  SetReadOnly(database, true);
  const Store store(*OpenPostgres(database.url));
  const absl::Status failover = store.tokens.Create(SomeToken(), {}).status();
  EXPECT_EQ(failover.code(), absl::StatusCode::kUnavailable) << failover;
  EXPECT_THAT(base::PublicMessageOf(failover), HasSubstr("try again"));
  EXPECT_TRUE(absl::IsNotFound(store.tokens.Find("hash").status())) << "it can be read";
  SetReadOnly(database, false);
  EXPECT_TRUE(store.tokens.Create(SomeToken(), {}).ok()) << "by another connection";
  SetReadOnly(database, true);
  EXPECT_TRUE(store.tokens.Find("hash").ok());
}

// Also if the database is the primary, by mistake.
TEST(PostgresStoreTest, AReplicaThatIsReadOnPurposeRefusesWritesForGood) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  ASSERT_TRUE(OpenPostgres(database.url).ok());
  PostgresOptions options;
  options.mode = OpenMode::kReplica;
  const Store store(*OpenPostgres(database.url, options));
  const absl::Status refused = store.tokens.Create(SomeToken(), {}).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_THAT(base::PublicMessageOf(refused), HasSubstr("use the server that accepts uploads"));
}

TEST(PostgresStoreTest, ErrorsOfAFailoverAreUnavailable) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const auto engine = OpenPostgres(database.url);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto raised = [&](const std::string& state) {
    return engine->database->Write([&](sql::Session& session) {
      return session.Execute(absl::StrCat("DO $$ BEGIN RAISE EXCEPTION 'raised' USING ERRCODE = '",
                                          state, "'; END $$"),
                             {});
    });
  };
  for (const char* state : {"25006", "57P01", "57P02", "57P03", "57P05", "08000", "08003", "08006",
                            "08P01", "40001", "40P01", "40003", "53300", "25P03", "57014"}) {
    EXPECT_EQ(raised(state).code(), absl::StatusCode::kUnavailable) << state;
  }
  EXPECT_EQ(raised("42501").code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_EQ(raised("53100").code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(raised("22012").code(), absl::StatusCode::kInternal);
}

TEST(PostgresStoreTest, AMissingPrivilegeNamesTheGrant) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  ASSERT_TRUE(Server()->Execute("postgres", "CREATE ROLE guest LOGIN PASSWORD 'guest'").ok());
  const std::string url = absl::StrReplaceAll(
      database.url,
      {{database.url.substr(0, database.url.find('@') + 1), "postgresql://guest:guest@"}});
  for (const char* usage :
       {"GRANT USAGE ON SCHEMA public TO PUBLIC", "REVOKE USAGE ON SCHEMA public FROM PUBLIC"}) {
    ASSERT_TRUE(Server()->Execute(database.name, usage).ok());
    const absl::Status status = OpenPostgres(url).status();
    EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition) << status;
    EXPECT_THAT(std::string(status.message()), HasSubstr(database.name));
    EXPECT_THAT(std::string(status.message()),
                HasSubstr("GRANT USAGE, CREATE ON SCHEMA public TO"));
  }
}

NewExecution OneExecution() {
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = "run";
  execution.run.commit = "1111111";
  execution.execution.target = "//db:query_test";
  execution.profiles = {{"gmon.1", "b1d1", NameBlob("gmon")}};
  execution.images = {{"b1d1", NameBlob("symbols")}};
  execution.blobs = {{NameBlob("gmon"), "gmon"}, {NameBlob("symbols"), "symbols"}};
  return execution;
}

TEST(PostgresStoreTest, AnUploadWhoseCommitGotNoAnswerIsKnownWhenItComesAgain) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  tests::CommitCutter proxy(Server()->directory());
  const Store store(*OpenPostgres(proxy.Through(database.url)));
  proxy.Set(tests::CommitCutter::Cut::kAfterCommit);
  const absl::Status doubt =
      store.ingest.RecordExecution(OneExecution(), absl::UnixEpoch()).status();
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(doubt.code(), absl::StatusCode::kUnavailable) << doubt;
  EXPECT_THAT(base::PublicMessageOf(doubt), HasSubstr("may or may not"));
  const auto again = store.ingest.RecordExecution(OneExecution(), absl::UnixEpoch());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again->already_present);
  EXPECT_EQ(store.reading.ListTargets(again->run_id)->at(0).executions, 1u);
}

TEST(PostgresStoreTest, AnUploadWhoseCommitDidNotArriveIsTakenWhenItComesAgain) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  tests::CommitCutter proxy(Server()->directory());
  const Store store(*OpenPostgres(proxy.Through(database.url)));
  proxy.Set(tests::CommitCutter::Cut::kBeforeCommit);
  const absl::Status doubt =
      store.ingest.RecordExecution(OneExecution(), absl::UnixEpoch()).status();
  EXPECT_EQ(proxy.cuts(), 1);
  EXPECT_EQ(doubt.code(), absl::StatusCode::kUnavailable) << doubt;
  const auto again = store.ingest.RecordExecution(OneExecution(), absl::UnixEpoch());
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_FALSE(again->already_present);
}

TEST(PostgresStoreTest, AServerThatHangsIsUnavailableAndUsedAgainWhenItGoesOn) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  PostgresOptions options;
  options.answer = absl::Milliseconds(500);
  options.connect = absl::Seconds(2);
  const Store store(*OpenPostgres(database.url, options));
  ASSERT_TRUE(store.tokens.Create(SomeToken(), {}).ok());
  Server()->Pause();
  const absl::Status idle = store.tokens.Find("hash").status();
  const absl::Status fresh = store.tokens.Find("hash").status();
  Server()->Resume();
  for (const absl::Status& status : {idle, fresh}) {
    EXPECT_EQ(status.code(), absl::StatusCode::kUnavailable) << status;
    EXPECT_THAT(base::PublicMessageOf(status), HasSubstr("try again"));
  }
  EXPECT_THAT(std::string(idle.message()), HasSubstr("did not respond in time"));
  EXPECT_TRUE(store.tokens.Find("hash").ok());
}

TEST(PostgresStoreTest, NobodyWaitsForEverForAConnection) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  PostgresOptions options;
  options.connections = 1;
  options.pool = absl::Milliseconds(100);
  const auto engine = OpenPostgres(database.url, options);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const absl::Status outer = engine->database->Read([&](sql::Session&) {
    const absl::Status none =
        engine->database->Read([](sql::Session&) { return absl::OkStatus(); });
    EXPECT_EQ(none.code(), absl::StatusCode::kUnavailable) << none;
    EXPECT_THAT(std::string(none.message()), HasSubstr("all 1 connections"));
    return absl::OkStatus();
  });
  EXPECT_TRUE(outer.ok()) << outer;
  EXPECT_TRUE(engine->database->Read([](sql::Session&) { return absl::OkStatus(); }).ok());
}

TEST(PostgresStoreTest, TheServerEndsStatementsThatTakeTooLong) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  PostgresOptions options;
  options.statement = absl::Milliseconds(100);
  const auto engine = OpenPostgres(database.url, options);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const absl::Status slow = engine->database->Read(
      [](sql::Session& session) { return session.Execute("SELECT pg_sleep(3600)", {}); });
  EXPECT_EQ(slow.code(), absl::StatusCode::kUnavailable) << slow;
  EXPECT_THAT(std::string(slow.message()), HasSubstr("statement timeout"));
  EXPECT_EQ(base::PublicMessageOf(slow), "the database takes too long: try again");
}

TEST(PostgresStoreTest, TheServerEndsTheWaitForALock) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  PostgresOptions options;
  options.lock = absl::Milliseconds(100);
  const auto engine = OpenPostgres(database.url, options);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const auto lock = [](sql::Session& session) { return session.Execute("LOCK TABLE run", {}); };
  const absl::Status outer = engine->database->Write([&](sql::Session& session) {
    absl::Status locked = lock(session);
    const absl::Status waiting = engine->database->Write(lock);
    EXPECT_EQ(waiting.code(), absl::StatusCode::kUnavailable) << waiting;
    EXPECT_THAT(std::string(waiting.message()), HasSubstr("lock timeout"));
    return locked;
  });
  EXPECT_TRUE(outer.ok()) << outer;
}

TEST(PostgresStoreTest, LimitsAreTheServersAndTheUrlMayChangeThem) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const auto limit = [](const std::string& url) {
    const auto engine = OpenPostgres(url);
    EXPECT_TRUE(engine.ok()) << engine.status();
    std::string said;
    const absl::Status read = engine->database->Read([&said](sql::Session& session) {
      for (const char* name :
           {"statement_timeout", "lock_timeout", "idle_in_transaction_session_timeout", "jit"}) {
        ASSIGN_OR_RETURN(const auto rows, session.Query(absl::StrCat("SHOW ", name), {}));
        absl::StrAppend(&said, rows.front().Text(0), " ");
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(read.ok()) << read;
    return said;
  };
  EXPECT_EQ(limit(database.url), "30s 10s 1min off ");
  EXPECT_EQ(limit(absl::StrCat(database.url, "&options=-c%20statement_timeout%3D5s")),
            "5s 10s 1min off ");
}

TEST(PostgresStoreTest, ServersWhoseClocksDifferDoNotTakeEachOthersJobs) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const absl::Duration lease = absl::Minutes(5);
  for (const absl::Duration ahead : {absl::Hours(3), -absl::Hours(3)}) {
    PostgresOptions options;
    options.now = [ahead] { return absl::Now() + ahead; };
    const Store here(*OpenPostgres(database.url));
    const Store there(*OpenPostgres(database.url, options));
    NewExecution execution = OneExecution();
    execution.run.run_key = ahead > absl::ZeroDuration() ? "ahead" : "behind";
    ASSERT_TRUE(there.ingest.RecordExecution(execution, options.now()).ok());
    const auto job = here.jobs.Claim("here", absl::Now(), lease, 8);
    ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
    EXPECT_FALSE(there.jobs.Claim("there", options.now(), lease, 8)->has_value());
    EXPECT_TRUE(here.jobs.Fail(**job, "again", JobQueue::Ending::kAgain, absl::Now()).ok());
    const auto taken = there.jobs.Claim("there", options.now(), lease, 8);
    ASSERT_TRUE(taken.ok() && taken->has_value()) << taken.status();
    EXPECT_FALSE(here.jobs.Claim("here", absl::Now(), lease, 8)->has_value());
    // Once the lease has expired by all of the clocks, any worker can claim the job.
    const auto late = here.jobs.Claim("here", absl::Now() + 2 * lease, lease, 8);
    ASSERT_TRUE(late.ok() && late->has_value()) << late.status();
    EXPECT_TRUE(here.jobs.Fail(**late, "over", JobQueue::Ending::kFailed, absl::Now()).ok());
  }
}

TEST(PostgresStoreTest, ClientsAreNotToldWhereTheDatabaseIs) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const Store store(*OpenPostgres(database.url));
  ASSERT_TRUE(Server()->Stop().ok());
  const absl::Status down = store.tokens.Find("hash").status();
  ASSERT_TRUE(Server()->StartAgain().ok());
  EXPECT_THAT(std::string(down.message()), HasSubstr(Server()->directory()));
  EXPECT_EQ(base::PublicMessageOf(down), "the database cannot be reached: try again");
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

TEST(PostgresStoreTest, ADatabaseOfAnotherSchemaVersionIsRefused) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  ASSERT_TRUE(OpenPostgres(database.url).ok());
  const auto set_version = [&database](int64_t version) {
    const absl::Status set = Server()->Execute(
        database.name, absl::StrCat("UPDATE schema_version SET version = ", version));
    EXPECT_TRUE(set.ok()) << set;
  };
  for (const int64_t version : {kSchemaVersion + 1, int64_t{-1}}) {
    set_version(version);
    const absl::Status refused = OpenPostgres(database.url).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()),
                HasSubstr(absl::StrCat("schema version ", version)));
  }
  set_version(kSchemaVersion);
  EXPECT_TRUE(OpenPostgres(database.url).ok());
}

// A session that waits for an advisory lock keeps its cached "schema_version is missing".
TEST(PostgresStoreTest, ASchemaThatAppearsDuringTheWaitForItsLockIsSeen) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const ConnectionHandle other(PQconnectdb(database.url.c_str()));
  const auto run = [&other](const std::string& sql) {
    const ResultHandle result(PQexec(other.get(), sql.c_str()));
    EXPECT_EQ(PQerrorMessage(other.get()), std::string());
  };
  run("BEGIN; SELECT pg_advisory_xact_lock(7453583206083229026)");  // kSchemaLock
  absl::Status opened;
  std::thread opener([&] { opened = OpenPostgres(database.url).status(); });
  const absl::Status waits = Server()->Execute(
      "postgres",
      "SET statement_timeout = '1min'; DO $$ BEGIN WHILE NOT EXISTS (SELECT FROM pg_locks WHERE "
      "locktype = 'advisory' AND NOT granted) LOOP PERFORM pg_sleep(0.01); END LOOP; END $$");
  EXPECT_TRUE(waits.ok()) << waits;
  // Not the whole schema: so much would make the server renew the caches of those who wait.
  run(
      absl::StrCat("CREATE TABLE schema_version (version bigint); INSERT INTO schema_version "
                   "VALUES (",
                   kSchemaVersion, "); COMMIT"));
  opener.join();
  EXPECT_TRUE(opened.ok()) << opened;
}

TEST(PostgresStoreTest, TextsCompareByByte) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const auto engine = OpenPostgres(database.url);
  ASSERT_TRUE(engine.ok()) << engine.status();
  const absl::Status read = engine->database->Read([](sql::Session& session) {
    ASSIGN_OR_RETURN(
        const auto columns,
        session.Query(
            "SELECT table_name, column_name, coalesce(collation_name, '') FROM "
            "information_schema.columns WHERE table_schema = 'public' AND data_type = 'text'",
            {}));
    EXPECT_GT(columns.size(), 50u);
    for (const sql::Row& column : columns) {
      EXPECT_EQ(column.Text(2), "C") << column.Text(0) << "." << column.Text(1);
    }
    return absl::OkStatus();
  });
  EXPECT_TRUE(read.ok()) << read;
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

TEST(PostgresStoreTest, ARunThatAnUploadHoldsIsCountedLater) {
  const Database database = NewDatabase();
  ASSERT_FALSE(database.url.empty());
  const sql::Engine engine = *OpenPostgres(database.url);
  const Store store(engine);
  NewExecution execution;
  execution.run.project = "sqlite";
  execution.run.run_key = "run";
  execution.run.commit = "1111111";
  execution.execution.target = "//db:query_test";
  ASSERT_TRUE(store.ingest.RecordExecution(execution, absl::UnixEpoch()).ok());
  const auto job = store.jobs.Claim("worker", absl::UnixEpoch(), absl::Minutes(1), 3);
  ASSERT_TRUE(job.ok() && job->has_value()) << job.status();
  ASSERT_TRUE(store.jobs.Fail(**job, "", JobQueue::Ending::kFailed, absl::UnixEpoch()).ok());
  const RunCounts counts(engine.database);
  const absl::Status uploaded = engine.database->Write([&](sql::Session& session) {
    const absl::Status locked = session.Execute(
        absl::StrCat("SELECT id FROM run", engine.database->dialect().for_key_share), {});
    const absl::StatusOr<uint64_t> kept = counts.Keep({});
    EXPECT_TRUE(kept.ok()) << kept.status();
    EXPECT_EQ(*kept, 0u);
    return locked;
  });
  ASSERT_TRUE(uploaded.ok()) << uploaded;
  EXPECT_EQ(*counts.Keep({}), 1u);
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

using sql::Work;

// Records the notifications that one process receives. Waits without a limit: the test's own
// timeout ends hung waits.
class Ear {
 public:
  explicit Ear(const std::string& url) : wake_ups_(*MakeWakeUps(url)) {
    wake_ups_->Start([this](Work work) {
      const std::lock_guard<std::mutex> lock(mutex_);
      ++heard_[work];
      changed_.notify_all();
    });
  }

  ~Ear() { wake_ups_->Stop(); }

  void Tell(Work work) { wake_ups_->Tell(work); }
  int Heard(Work work) {
    const std::lock_guard<std::mutex> lock(mutex_);
    return heard_[work];
  }
  void AwaitHeard(Work work, int times) {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [&] { return heard_[work] >= times; });
  }
  // It receives both notifications once it listens.
  void AwaitListening(int times = 1) { AwaitHeard(Work::kReports, times); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<Work, int> heard_;
  const std::unique_ptr<sql::WakeUps> wake_ups_;
};

class WakeUpsTest : public testing::Test {
 protected:
  void SetUp() override {
    auto server = tests::PostgresServer::Start();
    ASSERT_TRUE(server.ok()) << server.status();
    server_ = *std::move(server);
    const absl::StatusOr<std::string> url = server_->CreateDatabase("test");
    ASSERT_TRUE(url.ok()) << url.status();
    url_ = *url;
  }

  // Cuts the connections of all listeners.
  void CutListeners() {
    const absl::Status cut =
        server_->Execute("test",
                         "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                         "WHERE query LIKE 'LISTEN %' OR query LIKE 'NOTIFY %'");
    ASSERT_TRUE(cut.ok()) << cut;
  }

  std::unique_ptr<tests::PostgresServer> server_;
  std::string url_;
};

TEST_F(WakeUpsTest, WhatOneTellsAnotherHears) {
  Ear collector(url_), worker(url_);
  collector.AwaitListening();
  worker.AwaitListening();
  collector.Tell(Work::kJobs);
  worker.AwaitHeard(Work::kJobs, 2);
  worker.Tell(Work::kReports);
  collector.AwaitHeard(Work::kReports, 2);
  EXPECT_EQ(collector.Heard(Work::kJobs), 1) << "it was told of its own work";
}

TEST_F(WakeUpsTest, WhatIsToldBeforeItListensIsHeardLater) {
  Ear worker(url_);
  worker.AwaitListening();
  Ear collector(url_);
  collector.Tell(Work::kJobs);
  worker.AwaitHeard(Work::kJobs, 2);
}

TEST_F(WakeUpsTest, WhoLosesTheConnectionMakesItAgainAndLooksForWork) {
  Ear collector(url_), worker(url_);
  collector.AwaitListening();
  worker.AwaitListening();
  CutListeners();
  collector.AwaitListening(2);
  worker.AwaitListening(2);
  collector.Tell(Work::kJobs);
  worker.AwaitHeard(Work::kJobs, 3);
}

TEST_F(WakeUpsTest, EndsThoughTheServerIsGone) {
  Ear worker(url_);
  worker.AwaitListening();
  server_->Crash();
  Ear never(url_);
  never.Tell(Work::kJobs);
}

TEST(MakeWakeUps, RefusesALocationThatIsNone) {
  EXPECT_TRUE(absl::IsInvalidArgument(MakeWakeUps("postgresql://%zz").status()));
}

}  // namespace

}  // namespace gprofhub::store::postgres
