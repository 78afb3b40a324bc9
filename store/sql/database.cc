#include "store/sql/database.h"

#include <nlohmann/json.hpp>

namespace gprofhub::store::sql {

std::string JsonTable(absl::Span<const std::vector<std::string>> rows) {
  nlohmann::json table = nlohmann::json::array();
  for (const std::vector<std::string>& row : rows) table.push_back(row);
  return table.dump();
}

}  // namespace gprofhub::store::sql
