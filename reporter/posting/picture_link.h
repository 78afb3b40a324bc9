// Signed addresses of pictures embedded in comments. A forge fetches the picture for its readers
// without logging in, so the address is a capability: it is signed, shows one trend and nothing
// else, and expires.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::reporter {

// Minimum key length; a shorter key could be guessed.
inline constexpr size_t kLeastPictureKeyBytes = 32;

// The calls, or the self time, of a function up to a run.
struct TrendPicture {
  std::string project;
  int64_t run_id = 0;
  std::string base_commit;  // base of the comparison
  std::string function;     // linkage name
  std::string target;
  bool is_time = false;

  friend bool operator==(const TrendPicture&, const TrendPicture&) = default;
};

// The path of all pictures, and the signed path and query of one: "/picture/trend.svg?…".
inline constexpr absl::string_view kPicturePath = "/picture/trend.svg";
std::string SignedPictureAddress(const TrendPicture& picture, absl::Time until,
                                 absl::string_view key);

// The picture of a query, if it was signed with this key and has not expired. Otherwise nothing,
// without a reason.
std::optional<TrendPicture> SignedPicture(const std::map<std::string, std::string>& query,
                                          absl::Time now, absl::string_view key);

}  // namespace gprofhub::reporter
