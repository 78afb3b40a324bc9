#include "cli/listen/server_certificates.h"

#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/testing/certificates.h"

namespace gprofhub::cli {
namespace {

const char kEncryptedKey[] =
    "-----BEGIN ENCRYPTED PRIVATE KEY-----\n"
    "MIHsMFcGCSqGSIb3DQEFDTBKMCkGCSqGSIb3DQEFDDAcBAhRyO9XNsWsZwICCAAw\n"
    "DAYIKoZIhvcNAgkFADAdBglghkgBZQMEASoEEDZWz3hH8zvxz5q2Yl0d2V4EgZDE\n"
    "-----END ENCRYPTED PRIVATE KEY-----\n";

class ServerCertificatesTest : public testing::Test {
 protected:
  ServerCertificatesTest() {
    const base::TestCertificate made = authority_.Issue("localhost", absl::Hours(48));
    files_.certificate = Write("server.pem", made.certificate);
    files_.key = Write("server.key", made.key);
    files_.client_authorities = Write("ca.pem", authority_.certificate());
  }

  static std::string Write(const std::string& name, const std::string& text) {
    std::string path =
        absl::StrCat(testing::TempDir(), "/",
                     testing::UnitTest::GetInstance()->current_test_info()->name(), "-", name);
    std::ofstream(path) << text;
    return path;
  }

  void ExpectRefused(const std::string& words, absl::Time now = absl::Now()) const {
    const auto texts = ReadTlsFiles(files_, now);
    EXPECT_FALSE(texts.ok());
    EXPECT_TRUE(absl::StrContains(texts.status().message(), words)) << texts.status();
  }

  const base::TestAuthority authority_;
  TlsFiles files_;
};

TEST_F(ServerCertificatesTest, AreTakenWhereTheyFit) {
  const auto texts = ReadTlsFiles(files_, absl::Now());
  ASSERT_TRUE(texts.ok()) << texts.status();
  EXPECT_GT(texts->expires, absl::Now() + absl::Hours(47));
  EXPECT_EQ(texts->client_authorities, authority_.certificate());
}

TEST_F(ServerCertificatesTest, NeedTheirKey) {
  Write("server.key", authority_.Issue("localhost").key);
  ExpectRefused("is not the key of");
  Write("server.key", "");
  ExpectRefused("server.key: holds no private key in PEM");
  files_.key = "";
  ExpectRefused("both a certificate and its key");
}

TEST_F(ServerCertificatesTest, AskNobodyForAPassword) {
  Write("server.key", kEncryptedKey);
  ExpectRefused("server.key: ");
}

TEST_F(ServerCertificatesTest, MustBeReadable) {
  const std::string damaged = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
  Write("ca.pem", damaged);
  ExpectRefused("ca.pem: its certificate number 1 is damaged");
  Write("ca.pem", authority_.certificate() + damaged);
  ExpectRefused("ca.pem: its certificate number 2 is damaged");
  Write("server.pem", "no certificate");
  ExpectRefused("server.pem: holds no certificate in PEM");
  files_.certificate = "/nowhere/server.pem";
  ExpectRefused("/nowhere/server.pem");
}

TEST_F(ServerCertificatesTest, MustBeValidNow) {
  ExpectRefused("server.pem: expired at ", absl::Now() + absl::Hours(49));
  ExpectRefused("server.pem: is valid only from ", absl::Now() - absl::Hours(2));
}

TEST_F(ServerCertificatesTest, StayAsTheyWereAfterAReloadThatFails) {
  const auto certificates = ServerCertificates::Load(files_);
  ASSERT_TRUE(certificates.ok()) << certificates.status();
  const absl::Time before = (*certificates)->expires();
  const base::TestCertificate longer = authority_.Issue("localhost", absl::Hours(96));
  Write("server.pem", longer.certificate);
  EXPECT_FALSE((*certificates)->Reload().ok()) << "the key is the one before";
  EXPECT_EQ((*certificates)->expires(), before);
  Write("server.key", longer.key);
  EXPECT_TRUE((*certificates)->Reload().ok());
  EXPECT_GT((*certificates)->expires(), before + absl::Hours(40));
}

}  // namespace
}  // namespace gprofhub::cli
