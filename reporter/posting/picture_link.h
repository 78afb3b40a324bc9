// Addresses of pictures that a comment embeds. Who has the address sees the picture, without
// logging in: a forge fetches it for its readers. So each address is signed, shows one trend and
// nothing else, and expires.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::reporter {

// A key of fewer bytes could be guessed.
inline constexpr size_t kLeastPictureKeyBytes = 32;

// The calls, or the own time, of a function up to a run.
struct TrendPicture {
  std::string project;
  int64_t run_id = 0;
  std::string base_commit;  // that the run was compared with
  std::string function;     // linkage name
  std::string target;
  bool is_time = false;

  friend bool operator==(const TrendPicture&, const TrendPicture&) = default;
};

// The path of all pictures, and the query of this one: "/picture/trend.svg?…".
inline constexpr absl::string_view kPicturePath = "/picture/trend.svg";
std::string SignedPictureAddress(const TrendPicture& picture, absl::Time until,
                                 absl::string_view key);

// The picture of an address's query, if it was signed with this key and has not expired. Nothing
// otherwise, and nothing that tells why.
std::optional<TrendPicture> SignedPicture(const std::map<std::string, std::string>& query,
                                          absl::Time now, absl::string_view key);

}  // namespace gprofhub::reporter
