#include "store/objects/s3/credentials.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/read_file.h"

namespace gprofhub::store {
namespace {

constexpr uint64_t kLongestFile = 1 << 20;

// Whether a value can be sent in a header. Other characters could inject a second header or
// truncate the value.
bool IsSendable(absl::string_view value) {
  return !value.empty() && value.size() <= 8192 &&
         std::all_of(value.begin(), value.end(), absl::ascii_isgraph);
}

absl::StatusOr<S3Credentials> Checked(S3Credentials credentials) {
  if (!IsSendable(credentials.access_key) || !IsSendable(credentials.secret_key)) {
    return absl::InvalidArgumentError("an access key or its secret is missing, or is none");
  }
  if (!credentials.session_token.empty() && !IsSendable(credentials.session_token)) {
    return absl::InvalidArgumentError("the session token is none");
  }
  return credentials;
}

std::string FileOf(const S3CredentialSource::Environment& environment) {
  const std::string named = environment("AWS_SHARED_CREDENTIALS_FILE");
  return named.empty() ? absl::StrCat(environment("HOME"), "/.aws/credentials") : named;
}

}  // namespace

absl::StatusOr<S3Credentials> ParseCredentialsFile(absl::string_view text,
                                                   absl::string_view profile) {
  S3Credentials credentials;
  bool is_in_profile = false;
  bool found = false;
  int number = 0;
  for (const absl::string_view whole : absl::StrSplit(text, '\n')) {
    ++number;
    const absl::string_view line = absl::StripAsciiWhitespace(whole);
    if (line.empty() || line.front() == '#' || line.front() == ';') continue;
    if (line.front() == '[') {
      if (line.back() != ']') {
        return absl::InvalidArgumentError(absl::StrCat("line ", number, " is no [PROFILE]"));
      }
      is_in_profile = absl::StripAsciiWhitespace(line.substr(1, line.size() - 2)) == profile;
      found = found || is_in_profile;
      continue;
    }
    if (!is_in_profile) continue;
    const std::pair<absl::string_view, absl::string_view> setting =
        absl::StrSplit(line, absl::MaxSplits('=', 1));
    const absl::string_view name = absl::StripAsciiWhitespace(setting.first);
    const std::string value(absl::StripAsciiWhitespace(setting.second));
    if (name == "aws_access_key_id") credentials.access_key = value;
    if (name == "aws_secret_access_key") credentials.secret_key = value;
    if (name == "aws_session_token") credentials.session_token = value;
  }
  if (!found) return absl::InvalidArgumentError("the profile is not there");
  return Checked(std::move(credentials));
}

S3CredentialSource::S3CredentialSource(Environment environment)
    : environment_(std::move(environment)) {}

S3CredentialSource::Environment S3CredentialSource::OfThisProcess() {
  return [](const char* name) {
    const char* const value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
}

std::string S3CredentialSource::State() const {
  if (!environment_("AWS_ACCESS_KEY_ID").empty()) return "environment";
  struct stat about = {};
  if (stat(FileOf(environment_).c_str(), &about) != 0) return "";
  return absl::StrCat(about.st_ino, " ", about.st_size, " ", about.st_mtim.tv_sec, " ",
                      about.st_mtim.tv_nsec);
}

absl::StatusOr<S3Credentials> S3CredentialSource::Read() const {
  S3Credentials given{environment_("AWS_ACCESS_KEY_ID"), environment_("AWS_SECRET_ACCESS_KEY"),
                      environment_("AWS_SESSION_TOKEN")};
  if (!given.access_key.empty() || !given.secret_key.empty()) {
    absl::StatusOr<S3Credentials> checked = Checked(std::move(given));
    if (checked.ok()) return checked;
    return absl::FailedPreconditionError(
        absl::StrCat("AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY: ", checked.status().message()));
  }
  const std::string path = FileOf(environment_);
  const absl::StatusOr<std::string> text = base::ReadFile(path, kLongestFile);
  if (!text.ok()) {
    return absl::FailedPreconditionError(absl::StrCat(
        "no keys for the object store: neither AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY nor a "
        "credentials file: ",
        text.status().message()));
  }
  const std::string named = environment_("AWS_PROFILE");
  const std::string profile = named.empty() ? "default" : named;
  absl::StatusOr<S3Credentials> parsed = ParseCredentialsFile(*text, profile);
  if (parsed.ok()) return parsed;
  return absl::FailedPreconditionError(
      absl::StrCat(path, ", profile ", profile, ": ", parsed.status().message()));
}

absl::StatusOr<S3Credentials> S3CredentialSource::Get() {
  const absl::MutexLock lock(&mutex_);
  // Taken before the file is read, so that a change in between is noticed at the next call.
  const std::string state = State();
  if (known_.has_value() && state == known_state_) return *known_;
  absl::StatusOr<S3Credentials> read = Read();
  if (read.ok()) {
    known_ = *read;
    known_state_ = state;
  } else if (known_.has_value()) {
    return *known_;
  }
  return read;
}

}  // namespace gprofhub::store
