#include "collector/access/make_token.h"

#include <string>
#include <utility>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"
#include "base/system/random_bytes.h"
#include "collector/access/certificate.h"

namespace gprofhub::collector {
namespace {

absl::StatusOr<std::string> RandomToken() {
  const absl::StatusOr<std::string> bytes = base::RandomBytes(kTokenRandomBytes);
  if (!bytes.ok()) return bytes.status();
  return absl::StrCat(kTokenPrefix, absl::BytesToHexString(*bytes));
}

}  // namespace

absl::StatusOr<NewToken> MakeToken(const store::Tokens& tokens, const TokenOptions& options,
                                   const store::Actor& by, absl::Time now) {
  if (options.expires <= now) return absl::InvalidArgumentError("expires: has passed");
  absl::StatusOr<std::string> token = options.certificate.empty() ? RandomToken() : std::string();
  if (!token.ok()) return token.status();
  store::TokenRecord wanted;
  wanted.project = options.project;
  wanted.label = options.label;
  wanted.token_sha256 =
      options.certificate.empty() ? base::Sha256Hex(*token) : CertificateKey(options.certificate);
  wanted.scopes = options.scopes.Names();
  wanted.created = now;
  wanted.expires = options.expires;
  absl::StatusOr<store::TokenRecord> record = tokens.Create(wanted, by);
  if (absl::IsAlreadyExists(record.status())) {
    return absl::AlreadyExistsError(
        "the certificate stands for a token, or stood for one that was revoked: change that one, "
        "or "
        "make a new certificate");
  }
  if (!record.ok()) return record.status();
  return NewToken{*std::move(token), *std::move(record)};
}

absl::StatusOr<NewToken> RotateToken(const store::Tokens& tokens, int64_t id,
                                     absl::Duration overlap, const store::Actor& by,
                                     absl::Time now) {
  if (overlap < absl::ZeroDuration()) {
    return absl::InvalidArgumentError("overlap: must not be below 0");
  }
  const absl::StatusOr<store::TokenRecord> old = tokens.Read(id);
  if (!old.ok()) return old.status();
  absl::StatusOr<std::string> token = RandomToken();
  if (!token.ok()) return token.status();
  store::TokenRecord wanted = *old;
  wanted.token_sha256 = base::Sha256Hex(*token);
  wanted.created = now;
  if (old->expires != absl::InfiniteFuture()) wanted.expires = now + (old->expires - old->created);
  absl::StatusOr<store::TokenRecord> record = tokens.Rotate(id, wanted, now + overlap, by);
  if (!record.ok()) return record.status();
  return NewToken{*std::move(token), *std::move(record)};
}

}  // namespace gprofhub::collector
