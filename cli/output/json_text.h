// JSON as the subcommands print it.
//
// The documents are built by hand with nlohmann's library and not by protobuf's json_util: their
// fields are an interface to scripts, which messages between our own programs are not. json_util
// would also print 64-bit numbers as strings, omit fields that are 0, and refuse names that are not
// UTF-8.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gprofhub::cli {

// Two blanks a level, pure ASCII, with a newline at the end. `Json` is nlohmann::json or
// nlohmann::ordered_json. Bytes that are not UTF-8 become U+FFFD.
template <typename Json>
std::string JsonText(const Json& json) {
  return json.dump(2, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace) + "\n";
}

}  // namespace gprofhub::cli
