#include "tests/tls/files.h"

#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "store/testing/temp_store.h"

namespace gprofhub::tests {

TlsFolder::TlsFolder() : folder_(store::MakeTempDir()) {
  ChangeAuthority();
  Issue("server");
}

void TlsFolder::ChangeAuthority() {
  authority_ = std::make_unique<base::TestAuthority>();
  Write("ca.pem", authority_->certificate());
}

std::string TlsFolder::Path(const std::string& name) const {
  return absl::StrCat(folder_, "/", name);
}

std::vector<std::string> TlsFolder::ServeOptions() const {
  return {"--tls-cert", Path("server.pem"), "--tls-key", Path("server.key")};
}

std::vector<std::string> TlsFolder::ServeOptionsForKnownClients() const {
  std::vector<std::string> options = ServeOptions();
  options.insert(options.end(), {"--tls-client-ca", Path("ca.pem")});
  return options;
}

std::shared_ptr<grpc::ChannelCredentials> TlsFolder::ClientCredentials() const {
  return grpc::SslCredentials({authority_->certificate(), "", ""});
}

std::shared_ptr<grpc::ChannelCredentials> TlsFolder::ClientCredentials(
    const std::string& name) const {
  return grpc::SslCredentials(
      {authority_->certificate(), Read(name + ".key"), Read(name + ".pem")});
}

void TlsFolder::Issue(const std::string& name, absl::Duration lifetime) const {
  const base::TestCertificate made = authority_->Issue("127.0.0.1", lifetime);
  Write(name + ".pem", made.certificate);
  Write(name + ".key", made.key);
}

std::string TlsFolder::Read(const std::string& name) const {
  std::ifstream file(Path(name));
  EXPECT_TRUE(file.is_open()) << Path(name);
  return {std::istreambuf_iterator<char>(file), {}};
}

void TlsFolder::Write(const std::string& name, const std::string& text) const {
  std::ofstream file(Path(name));
  file << text;
  EXPECT_TRUE(file.flush()) << Path(name);
}

}  // namespace gprofhub::tests
