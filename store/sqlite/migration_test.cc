// An embedded store of another version.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "store/blob_name.h"
#include "store/sql/schema/schema.h"
#include "store/sqlite/open_sqlite.h"
#include "store/store.h"
#include "store/testing/old_points.h"
#include "store/testing/old_seals.h"
#include "store/testing/temp_dir.h"

namespace gprofhub::store::sqlite {
namespace {

using ::testing::HasSubstr;

const Opening kMigrate = {true, {"operator", "host", 0}, absl::UnixEpoch()};

// The database of a store, opened by another program.
class Database {
 public:
  explicit Database(const std::string& directory) {
    EXPECT_EQ(sqlite3_open((directory + "/gprofhub.db").c_str(), &database_), SQLITE_OK);
  }
  ~Database() { sqlite3_close(database_); }
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Each row's values, joined.
  std::set<std::string> Run(const std::string& sql) {
    std::set<std::string> rows;
    const auto take = [](void* into, int columns, char** values, char**) {
      std::string row;
      for (int i = 0; i < columns; ++i) {
        absl::StrAppend(&row, values[i] == nullptr ? "NULL" : values[i], "|");
      }
      static_cast<std::set<std::string>*>(into)->insert(row);
      return 0;
    };
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(database_, sql.c_str(), take, &rows, &error), SQLITE_OK) << error << "\n"
                                                                                    << sql;
    sqlite3_free(error);
    return rows;
  }

  // As a program of `version` left it.
  void GoBackTo(int64_t version) {
    Run(absl::StrCat(UndoSchemaTo(version, SchemaWords::kSqlite),
                     "PRAGMA user_version = ", version));
  }

  // All columns, indices and triggers.
  std::set<std::string> Schema() {
    std::set<std::string> schema =
        Run("SELECT master.name, info.name, info.type, info.\"notnull\", info.dflt_value, info.pk "
            "FROM sqlite_master AS master, pragma_table_info(master.name) AS info "
            "WHERE master.type = 'table'");
    schema.merge(Run("SELECT name, sql FROM sqlite_master WHERE type <> 'table'"));
    return schema;
  }

 private:
  sqlite3* database_ = nullptr;
};

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

void Record(const std::string& directory, const NewExecution& execution) {
  const Store store(*OpenSqlite(directory));
  const auto recorded = store.ingest.RecordExecution(execution, absl::UnixEpoch());
  ASSERT_TRUE(recorded.ok()) << recorded.status();
}

TEST(SqliteMigrationTest, EveryStepCanBeUndoneAndLeadsToTheSameSchemaAgain) {
  const std::string directory = MakeTempDir();
  ASSERT_TRUE(OpenSqlite(directory).ok());
  Database database(directory);
  const std::set<std::string> schema = database.Schema();
  ASSERT_GT(schema.size(), 100u);
  for (auto version = static_cast<int64_t>(Schema(SchemaWords::kSqlite).size()); version-- > 0;) {
    database.GoBackTo(version);
    EXPECT_NE(database.Schema(), schema) << "the step after " << version << " is not undone";
    const absl::Status migrated = OpenSqlite(directory, kMigrate).status();
    ASSERT_TRUE(migrated.ok()) << version << ": " << migrated;
    EXPECT_EQ(database.Schema(), schema) << "from version " << version;
  }
}

TEST(SqliteMigrationTest, ADatabaseOfANewerProgramIsRefused) {
  const std::string directory = MakeTempDir();
  ASSERT_TRUE(OpenSqlite(directory).ok());
  Database(directory).Run(
      "PRAGMA user_version = 999; UPDATE property SET value = 999 "
      "WHERE name = 'min_compatible_version'");
  const absl::Status status = OpenSqlite(directory).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 999"));
}

TEST(SqliteMigrationTest, RunsFromBeforeSampledProfilesAreCounted) {
  const std::string directory = MakeTempDir();
  Record(directory, OneExecution());
  Database(directory).GoBackTo(3);
  const Store store(*OpenSqlite(directory, kMigrate));
  EXPECT_EQ(store.reading.ReadRun(1)->profile_kind, ProfileKind::kCounted);
}

TEST(SqliteMigrationTest, FromBeforeScopesBlobsAreTheirProjectsAndTokensHaveWhatCiNeeds) {
  const std::string directory = MakeTempDir();
  NewExecution execution = OneExecution();
  execution.run.committed = absl::FromUnixSeconds(253'000'000'000);  // about the year 9987
  Record(directory, execution);
  {
    const Store store(*OpenSqlite(directory));
    TokenRecord token;
    token.project = "sqlite";
    token.token_sha256 = "hash";
    token.scopes = "admin";
    ASSERT_TRUE(store.tokens.Create(token, {}).ok());
    Database database(directory);
    database.Run("UPDATE run SET ordered_us = committed_us");
    database.GoBackTo(8);
  }
  const Store store(*OpenSqlite(directory, kMigrate));
  const std::vector<BlobName> names = {NameBlob("gmon"), NameBlob("symbols")};
  EXPECT_TRUE(store.blobs.FindMissing("sqlite", names)->empty());
  EXPECT_EQ(*store.blobs.FindMissing("other", names), names);
  EXPECT_EQ(store.tokens.Find("hash")->scopes, "upload,upload-main,read");
  EXPECT_EQ(store.tokens.Find("hash")->expires, absl::InfiniteFuture());
  const absl::StatusOr<RunRecord> run = store.reading.ReadRun(1);
  EXPECT_EQ(run->committed, execution.run.committed) << "the claim stays, for display";
  EXPECT_EQ(run->ordered, absl::UnixEpoch() + kClockSkew);
}

TEST(SqliteMigrationTest, ProfilesFromBeforeTheyWereLookedUpAreFound) {
  const std::string directory = MakeTempDir();
  NewExecution execution = OneExecution();
  execution.execution.status = "PASSED";
  execution.execution.test_binary_digest = "build-id:0a";
  Record(directory, execution);
  Database(directory).GoBackTo(4);
  const Store store(*OpenSqlite(directory, kMigrate));
  execution.run.run_key = "again";
  execution.execution.cached = true;
  execution.profiles.clear();
  execution.images.clear();
  execution.blobs.clear();
  const auto recorded = store.ingest.RecordExecution(execution, absl::UnixEpoch());
  ASSERT_TRUE(recorded.ok()) << recorded.status();
  EXPECT_EQ(recorded->profiles, 1u);
}

TEST(SqliteMigrationTest, PointsFromBeforeLinesAreInThem) {
  const std::string directory = MakeTempDir();
  RecordOldPoints(Store(*OpenSqlite(directory)));
  Database(directory).GoBackTo(kBeforeLines);
  ExpectPointsInLines(Store(*OpenSqlite(directory, kMigrate)));
}

TEST(SqliteMigrationTest, SealedPointsBecomeARowForEachFunction) {
  const std::string directory = MakeTempDir();
  ASSERT_TRUE(OpenSqlite(directory).ok());
  Database database(directory);
  database.GoBackTo(22);
  database.Run(OldSeals("x'"));
  const absl::Status refused = OpenSqlite(directory, kMigrate).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
  EXPECT_EQ(database.Run("SELECT count(*) FROM sealed_points"), std::set<std::string>{"4|"});

  Opening opening = kMigrate;
  opening.split_sealed_bucket = SplitOldSeal;
  const auto opened = OpenSqlite(directory, opening);
  ASSERT_TRUE(opened.ok()) << opened.status();
  ExpectOldSealsSplit(Store(*opened));
  EXPECT_EQ(database.Run("SELECT name FROM sqlite_master WHERE name = 'sealed_buckets'"),
            std::set<std::string>{});
}

TEST(SqliteMigrationTest, SealedPointsThatCannotBeSplitLeaveTheStoreAsItIs) {
  const std::string directory = MakeTempDir();
  ASSERT_TRUE(OpenSqlite(directory).ok());
  Database database(directory);
  database.GoBackTo(24);
  database.Run(OldSeals("x'"));
  Opening opening = kMigrate;
  opening.split_sealed_bucket = [](absl::string_view payload) -> absl::StatusOr<PackedPoints> {
    if (payload == "3") return absl::DataLossError("no points");
    return SplitOldSeal(payload);
  };
  const absl::Status refused = OpenSqlite(directory, opening).status();
  EXPECT_EQ(refused.code(), absl::StatusCode::kDataLoss);
  EXPECT_THAT(std::string(refused.message()), HasSubstr("line 1, bucket 1"));
  EXPECT_EQ(database.Run("PRAGMA user_version"), std::set<std::string>{"24|"});
  EXPECT_EQ(database.Run("SELECT count(*) FROM sealed_points"), std::set<std::string>{"4|"});
}

TEST(SqliteMigrationTest, OpeningAnOlderStoreChangesItOnlyIfAsked) {
  const std::string directory = MakeTempDir();
  ASSERT_TRUE(OpenSqlite(directory).ok());
  Database(directory).GoBackTo(9);
  for (int i = 0; i < 2; ++i) {
    const absl::Status refused = OpenSqlite(directory).status();
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << refused;
    EXPECT_THAT(std::string(refused.message()), HasSubstr("schema version 9"));
    EXPECT_THAT(std::string(refused.message()), HasSubstr("gprofhub admin migrate"));
  }
  const Store store(*OpenSqlite(directory, kMigrate));
  const auto audit = store.audit.List({});
  ASSERT_TRUE(audit.ok() && audit->size() == 1) << audit.status();
  EXPECT_EQ(audit->front().action, "store.migrate");
  EXPECT_EQ(audit->front().actor, "operator");
  EXPECT_EQ(audit->front().detail, "from version 9");
  EXPECT_TRUE(OpenSqlite(directory).ok());
}

TEST(SqliteMigrationTest, ANewerStoreOnWhichThisProgramWorksIsUsed) {
  const std::string directory = MakeTempDir();
  ASSERT_TRUE(OpenSqlite(directory).ok());
  // As the next release leaves it, whose step only adds to the schema.
  Database(directory).Run("PRAGMA user_version = 999; CREATE TABLE addition (id INTEGER)");
  Record(directory, OneExecution());
  Database(directory).Run("UPDATE property SET value = 999 WHERE name = 'min_compatible_version'");
  const absl::Status status = OpenSqlite(directory, kMigrate).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kFailedPrecondition);
  EXPECT_THAT(std::string(status.message()), HasSubstr("version 999 is the oldest"));
}

}  // namespace
}  // namespace gprofhub::store::sqlite
