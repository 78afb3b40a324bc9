#include "store/sql/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {

namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(SchemaTest, SqliteTypesAndOptions) {
  const std::string sqlite = SqliteSchema();
  EXPECT_THAT(sqlite, HasSubstr("id INTEGER PRIMARY KEY AUTOINCREMENT,"));
  EXPECT_THAT(sqlite, HasSubstr("payload BLOB NOT NULL"));
  EXPECT_THAT(sqlite, HasSubstr(") STRICT, WITHOUT ROWID;"));
  EXPECT_THAT(sqlite, HasSubstr("CREATE TABLE small_blob"));
  EXPECT_THAT(sqlite, Not(HasSubstr("bytea")));
}

TEST(SchemaTest, PostgresTypesAndOptions) {
  const std::string postgres = PostgresSchema();
  EXPECT_THAT(postgres, HasSubstr("id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"));
  EXPECT_THAT(postgres, HasSubstr("payload bytea NOT NULL"));
  EXPECT_THAT(postgres, HasSubstr("label text COLLATE \"C\" NOT NULL"));
  EXPECT_THAT(postgres, Not(HasSubstr("STRICT")));
  EXPECT_THAT(postgres, Not(HasSubstr("AUTOINCREMENT")));
  EXPECT_THAT(postgres, Not(HasSubstr("small_blob")));
}

TEST(SchemaTest, RecordsItsVersion) {
  EXPECT_THAT(SqliteSchema(), HasSubstr(absl::StrCat("PRAGMA user_version = ", kSchemaVersion)));
  EXPECT_THAT(PostgresSchema(),
              HasSubstr(absl::StrCat("INSERT INTO schema_version (version) VALUES (",
                                     kSchemaVersion, ")")));
}

TEST(SchemaTest, OtherVersionsAreRefused) {
  EXPECT_TRUE(CheckSchemaVersion(kSchemaVersion).ok());
  for (const int64_t version : {int64_t{-1}, kNoSchema, kSchemaVersion + 1, int64_t{999}}) {
    const absl::Status refused = CheckSchemaVersion(version);
    EXPECT_EQ(refused.code(), absl::StatusCode::kFailedPrecondition) << version;
    EXPECT_THAT(std::string(refused.message()),
                AllOf(HasSubstr(absl::StrCat("schema version ", version, ",")),
                      HasSubstr(absl::StrCat("needs version ", kSchemaVersion, ";"))));
  }
}

}  // namespace

}  // namespace gprofhub::store
