#include "collector/auth.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/sha256.h"
#include "collector/validate.h"

namespace gprofhub::collector {
namespace {

constexpr absl::string_view kTokenPrefix = "gph_";
constexpr size_t kRandomBytes = 32;
constexpr size_t kTokenLength = 4 + 2 * kRandomBytes;

absl::StatusOr<std::string> RandomToken() {
  std::array<char, kRandomBytes> bytes;
  // Requests of up to 256 bytes are answered whole or not at all.
  if (getrandom(bytes.data(), bytes.size(), 0) != static_cast<ssize_t>(bytes.size())) {
    return absl::InternalError(
        absl::StrCat("the kernel gave no random numbers: ", std::strerror(errno)));
  }
  return absl::StrCat(kTokenPrefix,
                      absl::BytesToHexString(absl::string_view(bytes.data(), bytes.size())));
}

}  // namespace

absl::StatusOr<NewToken> MakeToken(const store::Tokens& tokens, absl::string_view project,
                                   absl::string_view label, absl::Time now) {
  if (absl::Status status = ValidateProject("project", project); !status.ok()) return status;
  if (absl::Status status = ValidateText("label", label, 0, 200); !status.ok()) return status;
  absl::StatusOr<std::string> token = RandomToken();
  if (!token.ok()) return token.status();
  absl::StatusOr<store::TokenRecord> record =
      tokens.Create(project, label, base::Sha256Hex(*token), now);
  if (!record.ok()) return record.status();
  return NewToken{*std::move(token), *std::move(record)};
}

absl::StatusOr<bool> Authorizer::TokenNeeded() {
  if (has_tokens_.load(std::memory_order_relaxed)) return true;
  absl::StatusOr<bool> has_tokens = tokens_.WereCreated();
  if (has_tokens.ok() && *has_tokens) has_tokens_.store(true, std::memory_order_relaxed);
  return has_tokens;
}

absl::StatusOr<std::string> Authorizer::Admit(absl::string_view authorization) {
  const absl::StatusOr<bool> needed = TokenNeeded();
  if (!needed.ok()) return needed.status();
  if (!*needed) return "";
  if (authorization.empty()) {
    return absl::UnauthenticatedError(
        "this server wants a token: set GPROFHUB_TOKEN, or make one with `gprofhub token create`");
  }
  absl::string_view token = authorization;
  if (!absl::ConsumePrefix(&token, "Bearer ") || !absl::StartsWith(token, kTokenPrefix) ||
      token.size() != kTokenLength) {
    return absl::UnauthenticatedError(
        "the authorization is not \"Bearer gph_…\" as `gprofhub token create` prints it");
  }
  absl::StatusOr<store::TokenRecord> record = tokens_.Find(base::Sha256Hex(token));
  if (absl::IsNotFound(record.status())) {
    return absl::UnauthenticatedError("the token is unknown or revoked");
  }
  if (!record.ok()) return record.status();
  return std::move(record->project);
}

absl::Status Authorizer::Authorize(absl::string_view authorization, absl::string_view project) {
  const absl::StatusOr<std::string> admitted = Admit(authorization);
  if (!admitted.ok()) return admitted.status();
  if (!admitted->empty() && *admitted != project) {
    return absl::PermissionDeniedError(
        absl::StrCat("the token belongs to another project than \"", project, "\""));
  }
  return absl::OkStatus();
}

}  // namespace gprofhub::collector
