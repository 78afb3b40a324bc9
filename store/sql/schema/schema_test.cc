#include "store/sql/schema/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "store/sql/migrations.h"

namespace gprofhub::store {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

TEST(SchemaTest, BothEnginesHaveTheSameStepsWithoutGaps) {
  const auto sqlite = Schema(SchemaWords::kSqlite);
  const auto postgres = Schema(SchemaWords::kPostgres);
  ASSERT_EQ(sqlite.size(), postgres.size());
  for (size_t i = 0; i < sqlite.size(); ++i) {
    EXPECT_EQ(sqlite[i].version, static_cast<int64_t>(i) + 1);
    EXPECT_EQ(postgres[i].version, sqlite[i].version);
    EXPECT_EQ(postgres[i].works_since, sqlite[i].works_since);
  }
}

TEST(SchemaTest, TypesAreSpelledInEachEnginesWords) {
  const std::string sqlite = Schema(SchemaWords::kSqlite).front().sql;
  EXPECT_THAT(sqlite, HasSubstr("id INTEGER PRIMARY KEY AUTOINCREMENT,"));
  EXPECT_THAT(sqlite, HasSubstr("payload BLOB NOT NULL"));
  EXPECT_THAT(sqlite, Not(HasSubstr("bytea")));
  const std::string postgres = Schema(SchemaWords::kPostgres).front().sql;
  EXPECT_THAT(postgres, HasSubstr("id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,"));
  EXPECT_THAT(postgres, HasSubstr("payload bytea NOT NULL"));
  EXPECT_THAT(postgres, HasSubstr("label text COLLATE \"C\" NOT NULL"));
  EXPECT_THAT(postgres, Not(HasSubstr("STRICT")));
}

TEST(SchemaTest, UndoingGoesFromTheNewestStepDownToTheVersionAsked) {
  const std::string undo = UndoSchemaTo(9, SchemaWords::kSqlite);
  EXPECT_LT(undo.find("DROP INDEX job_pending;"), undo.find("DROP TABLE property;"));
  EXPECT_THAT(undo, HasSubstr("ALTER TABLE job DROP COLUMN request;"));
  EXPECT_THAT(undo, Not(HasSubstr("DROP TABLE audit")));
  EXPECT_THAT(UndoSchemaTo(8, SchemaWords::kPostgres), HasSubstr("DROP FUNCTION"));
  EXPECT_EQ(UndoSchemaTo(1'000'000, SchemaWords::kSqlite), "");
}

}  // namespace
}  // namespace gprofhub::store
