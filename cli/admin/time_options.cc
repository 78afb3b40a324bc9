#include "cli/admin/time_options.h"

#include <pwd.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace gprofhub::cli {

void AddFormatOption(CLI::App& command, std::string& format) {
  command.add_option("--format", format, "Output format")
      ->check(CLI::IsMember({"text", "json"}))
      ->capture_default_str();
}

absl::StatusOr<store::WholeStore> OpenNamed(const server::StoreOptions& options) {
  ASSIGN_OR_RETURN(const std::string location, server::StoreLocation(options));
  ASSIGN_OR_RETURN(const std::shared_ptr<store::ObjectStore> archive, server::OpenArchive(options));
  return store::OpenWholeStore(location, store::OpenMode::kExisting, archive);
}

std::string BytesText(uint64_t bytes) {
  constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB"};
  if (bytes < 1024) return absl::StrCat(bytes, " bytes");
  double size = static_cast<double>(bytes) / 1024;
  size_t unit = 0;
  for (; size >= 1024 && unit + 1 < std::size(kUnits); ++unit) size /= 1024;
  return absl::StrFormat("%.1f %s", size, kUnits[unit]);
}

store::Actor LocalActor() {
  store::Actor actor;
  const uid_t user = getuid();
  std::array<char, 4096> storage;
  passwd entry = {};
  passwd* found = nullptr;
  const bool named =
      getpwuid_r(user, &entry, storage.data(), storage.size(), &found) == 0 && found != nullptr;
  actor.name = named ? absl::StrCat("user ", found->pw_name) : absl::StrCat("user ", user);
  std::array<char, 256> host = {};
  const bool has_host = gethostname(host.data(), host.size() - 1) == 0;
  actor.origin = has_host ? absl::StrCat("on ", host.data()) : "on this machine";
  return actor;
}

namespace {

constexpr absl::Duration kLongest = absl::Hours(876'600);  // 100 years

absl::Duration UnitOf(char letter) {
  switch (letter) {
    case 'm':
      return absl::Minutes(1);
    case 'h':
      return absl::Hours(1);
    case 'd':
      return absl::Hours(24);
    case 'w':
      return absl::Hours(24 * 7);
    default:
      return absl::ZeroDuration();
  }
}

bool LooksLikeDay(absl::string_view text) { return absl::StrContains(text.substr(0, 8), '-'); }

}  // namespace

absl::StatusOr<absl::Duration> ParseSpan(absl::string_view option, absl::string_view text) {
  uint32_t number = 0;
  const absl::Duration unit = text.empty() ? absl::ZeroDuration() : UnitOf(text.back());
  const absl::string_view digits = text.substr(0, text.empty() ? 0 : text.size() - 1);
  const bool all_digits = std::all_of(digits.begin(), digits.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
  if (unit == absl::ZeroDuration() || !all_digits || !absl::SimpleAtoi(digits, &number) ||
      unit * int64_t{number} > kLongest) {
    return absl::InvalidArgumentError(
        absl::StrCat(option, ": '", text, "' is not a duration such as 30m, 12h, 7d or 4w"));
  }
  return unit * int64_t{number};
}

absl::StatusOr<absl::Duration> ParseAge(absl::string_view option, absl::string_view text) {
  if (text == "0") return absl::ZeroDuration();
  return ParseSpan(option, text);
}

absl::StatusOr<absl::Time> ParseDay(absl::string_view option, absl::string_view text) {
  absl::Time time;
  std::string error;
  for (const char* format : {"%Y-%m-%d", "%Y-%m-%dT%H:%M:%SZ"}) {
    if (absl::ParseTime(format, text, absl::UTCTimeZone(), &time, &error)) return time;
  }
  return absl::InvalidArgumentError(
      absl::StrCat(option, ": '", text,
                   "' is neither a day such as 2027-01-31 (UTC) nor a duration ", "such as 7d"));
}

absl::StatusOr<absl::Time> ParseEnd(absl::string_view option, absl::string_view text,
                                    absl::Time now) {
  if (LooksLikeDay(text)) return ParseDay(option, text);
  ASSIGN_OR_RETURN(const absl::Duration span, ParseSpan(option, text));
  return now + span;
}

absl::StatusOr<absl::Time> ParseBeginning(absl::string_view option, absl::string_view text,
                                          absl::Time now) {
  if (LooksLikeDay(text)) return ParseDay(option, text);
  ASSIGN_OR_RETURN(const absl::Duration span, ParseSpan(option, text));
  return now - span;
}

}  // namespace gprofhub::cli
