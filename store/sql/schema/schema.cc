#include "store/sql/schema/schema.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/string_view.h"
#include "store/sql/schema/steps.h"

namespace gprofhub::store {
namespace {

absl::string_view PostgresWord(absl::string_view word) {
  if (word == "TEXT") return R"(text COLLATE "C")";
  if (word == "INTEGER") return "bigint";
  if (word == "BLOB") return "bytea";
  return word;
}

// What SQLite's words are in PostgreSQL.
std::string InPostgresWords(absl::string_view sqlite) {
  const std::string phrases = absl::StrReplaceAll(
      sqlite,
      {{"INTEGER PRIMARY KEY AUTOINCREMENT", "bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY"},
       {") STRICT, WITHOUT ROWID;", ");"},
       {") STRICT;", ");"}});
  std::string result;
  const auto is_of_word = [](char c) { return absl::ascii_isalnum(c) || c == '_'; };
  for (auto at = phrases.begin(); at != phrases.end();) {
    const auto end = std::find_if_not(at, phrases.end(), is_of_word);
    absl::StrAppend(&result, PostgresWord(phrases.substr(at - phrases.begin(), end - at)));
    at = end;
    if (at != phrases.end()) result += *at++;
  }
  return result;
}

std::string Spell(const SchemaSql& sql, SchemaWords words) {
  if (words == SchemaWords::kSqlite) return absl::StrCat(sql.both, sql.sqlite);
  return absl::StrCat(InPostgresWords(sql.both), sql.postgres);
}

std::vector<SchemaStep> AllSteps() {
  std::vector<SchemaStep> all;
  for (const auto steps : {Steps1To8(), Steps9To14(), Steps15To26(), StepsFrom27()}) {
    all.insert(all.end(), steps.begin(), steps.end());
  }
  return all;
}

std::vector<Migration> Migrations(SchemaWords words) {
  std::vector<Migration> migrations;
  for (const SchemaStep& step : AllSteps()) {
    migrations.push_back({step.version, Spell(step.make, words), step.works_since, step.then});
  }
  return migrations;
}

}  // namespace

absl::Span<const Migration> Schema(SchemaWords words) {
  static const std::vector<Migration> sqlite = Migrations(SchemaWords::kSqlite);
  static const std::vector<Migration> postgres = Migrations(SchemaWords::kPostgres);
  return words == SchemaWords::kSqlite ? sqlite : postgres;
}

std::string UndoSchemaTo(int64_t version, SchemaWords words) {
  std::string sql;
  const std::vector<SchemaStep> all = AllSteps();
  for (auto step = all.rbegin(); step != all.rend() && step->version > version; ++step) {
    absl::StrAppend(&sql, Spell(step->undo, words));
  }
  return sql;
}

}  // namespace gprofhub::store
