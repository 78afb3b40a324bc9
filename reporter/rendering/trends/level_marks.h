// Marks of runs, days and weeks at which a new level begins.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "profile/names/quantities.h"
#include "proto/query.pb.h"

namespace gprofhub::reporter {

// The end of a row: "  <- calls, own time"; empty if no level begins.
std::string LevelMark(v1::ChangeMark calls, v1::ChangeMark self, profile::CountUnit unit);

// null, "confirmed" or "unconfirmed".
nlohmann::ordered_json LevelMarkJson(v1::ChangeMark mark);

}  // namespace gprofhub::reporter
