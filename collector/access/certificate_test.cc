#include "collector/access/certificate.h"

#include <gtest/gtest.h>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/sha256.h"

namespace gprofhub::collector {
namespace {

std::string Pem(absl::string_view bytes) {
  return absl::StrCat("-----BEGIN CERTIFICATE-----\n", absl::Base64Escape(bytes),
                      "\n-----END CERTIFICATE-----\n");
}

TEST(CertificateTest, TheFirstCertificateOfAChainIsTheClients) {
  EXPECT_EQ(*FingerprintOf(Pem("client") + Pem("authority")), base::Sha256Hex("client"));
  EXPECT_EQ(*FingerprintOf("subject=CN = ci\n" + Pem("client")), base::Sha256Hex("client"));
}

TEST(CertificateTest, WhatIsNoCertificateIsRefused) {
  for (const char* pem :
       {"", "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE----------BEGIN CERTIFICATE-----",
        "-----BEGIN CERTIFICATE----------END CERTIFICATE-----",
        "-----BEGIN CERTIFICATE-----\n?\n-----END CERTIFICATE-----",
        "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"}) {
    EXPECT_FALSE(FingerprintOf(pem).ok()) << pem;
  }
}

TEST(CertificateTest, FingerprintsAreReadAsPeopleHaveThem) {
  const std::string plain(64, 'a');
  std::string colons = "AA";
  for (int i = 1; i < 32; ++i) colons += ":AA";
  EXPECT_EQ(*ParseFingerprint(plain), plain);
  EXPECT_EQ(*ParseFingerprint(colons), plain);
  for (const std::string& text : {std::string(), plain + "a", std::string(64, 'g')}) {
    EXPECT_FALSE(ParseFingerprint(text).ok()) << text;
  }
}

TEST(CertificateTest, ATokensHashIsNoCertificatesKey) {
  EXPECT_NE(CertificateKey(std::string(64, 'a')), std::string(64, 'a'));
  EXPECT_NE(CertificateKey(std::string(64, 'a')), base::Sha256Hex(std::string(64, 'a')));
}

}  // namespace
}  // namespace gprofhub::collector
