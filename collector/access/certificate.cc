#include "collector/access/certificate.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/sha256.h"

namespace gprofhub::collector {

absl::StatusOr<std::string> FingerprintOf(absl::string_view pem) {
  constexpr absl::string_view kBegin = "-----BEGIN CERTIFICATE-----";
  constexpr absl::string_view kEnd = "-----END CERTIFICATE-----";
  const size_t begin = pem.find(kBegin);
  const size_t end = begin == absl::string_view::npos ? begin : pem.find(kEnd, begin);
  std::string der;
  if (end == absl::string_view::npos ||
      !absl::Base64Unescape(pem.substr(begin + kBegin.size(), end - begin - kBegin.size()), &der) ||
      der.empty()) {
    return absl::InvalidArgumentError("holds no certificate in PEM");
  }
  return base::Sha256Hex(der);
}

absl::StatusOr<std::string> ParseFingerprint(absl::string_view text) {
  const std::string digits = absl::AsciiStrToLower(absl::StrReplaceAll(text, {{":", ""}}));
  if (digits.size() == base::kSha256Digits &&
      digits.find_first_not_of("0123456789abcdef") == std::string::npos) {
    return digits;
  }
  return absl::InvalidArgumentError(
      "is no SHA-256 fingerprint: 64 hexadecimal digits, with colons or without");
}

std::string CertificateKey(absl::string_view fingerprint) {
  return base::Sha256Hex(absl::StrCat("certificate ", fingerprint));
}

}  // namespace gprofhub::collector
