#include "store/sql/database.h"

#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"

namespace gprofhub::store::sql {

absl::StatusOr<std::vector<Rows>> Session::QueryAll(absl::Span<const Statement> statements) {
  std::vector<Rows> all;
  for (const Statement& statement : statements) {
    absl::StatusOr<Rows> rows = Query(statement.sql, statement.parameters);
    if (!rows.ok()) return rows.status();
    all.push_back(*std::move(rows));
  }
  return all;
}

absl::Status Session::Send(absl::string_view sql, absl::Span<const Parameter> parameters) {
  return Execute(sql, parameters);
}

std::string JsonTable(absl::Span<const std::vector<std::string>> rows) {
  nlohmann::json table = nlohmann::json::array();
  for (const std::vector<std::string>& row : rows) table.push_back(row);
  return table.dump();
}

std::string JsonColumn(absl::Span<const std::string> texts) {
  nlohmann::json table = nlohmann::json::array();
  for (const std::string& text : texts) table.push_back(nlohmann::json::array({text}));
  return table.dump();
}

std::string JsonColumn(absl::Span<const int64_t> numbers) {
  // Elements are texts, as everywhere in such tables: the statements make numbers of them.
  std::string table = "[";
  for (const int64_t number : numbers) {
    absl::StrAppend(&table, table.size() == 1 ? "" : ",", "[\"", number, "\"]");
  }
  return table + "]";
}

}  // namespace gprofhub::store::sql
