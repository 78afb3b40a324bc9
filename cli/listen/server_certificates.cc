#include "cli/listen/server_certificates.h"

#include <grpc/grpc.h>
#include <grpc/grpc_security.h>
#include <openssl/bio.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include <ctime>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/read_file.h"

namespace gprofhub::cli {
namespace {

constexpr uint64_t kMaxFileBytes = 1 << 20;

struct Free {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
using Bio = std::unique_ptr<BIO, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Key = std::unique_ptr<EVP_PKEY, Free>;

absl::Status Bad(const std::string& path, absl::string_view problem) {
  ERR_clear_error();
  return absl::InvalidArgumentError(absl::StrCat(path, ": ", problem));
}

// In the place of OpenSSL's own, which would ask on the terminal.
int NoPassword(char*, int, int, void*) { return -1; }

Bio Reader(const std::string& text) {
  return Bio(BIO_new_mem_buf(text.data(), static_cast<int>(text.size())));
}

// The first certificate of the file; null: the file has none. All others must be readable, too.
absl::StatusOr<Certificate> ReadCertificates(const std::string& path, const std::string& text) {
  const Bio bio = Reader(text);
  Certificate first;
  for (int number = 1;; ++number) {
    Certificate next(PEM_read_bio_X509(bio.get(), nullptr, NoPassword, nullptr));
    if (next == nullptr) {
      const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
      ERR_clear_error();
      if (at_end && first != nullptr) return first;
      return Bad(path, at_end ? "holds no certificate in PEM"
                              : absl::StrCat("its certificate number ", number, " is damaged"));
    }
    if (first == nullptr) first = std::move(next);
  }
}

absl::StatusOr<Key> ReadKey(const std::string& path, const std::string& text) {
  const Bio bio = Reader(text);
  Key key(PEM_read_bio_PrivateKey(bio.get(), nullptr, NoPassword, nullptr));
  if (key != nullptr) return key;
  const int reason = ERR_GET_REASON(ERR_peek_last_error());
  if (reason == PEM_R_BAD_PASSWORD_READ || reason == PEM_R_PROBLEMS_GETTING_PASSWORD) {
    return Bad(path, "the key has a password; give one without, in a file of the server's alone");
  }
  return Bad(path, "holds no private key in PEM");
}

absl::Time TimeOf(const ASN1_TIME* time) {
  std::tm parts = {};
  if (ASN1_TIME_to_tm(time, &parts) != 1) return absl::InfinitePast();
  return absl::FromTM(parts, absl::UTCTimeZone());
}

std::string Shown(absl::Time time) {
  return absl::FormatTime(absl::RFC3339_sec, time, absl::UTCTimeZone());
}

}  // namespace

absl::StatusOr<TlsTexts> ReadTlsFiles(const TlsFiles& files, absl::Time now) {
  if (files.certificate.empty() || files.key.empty()) {
    return absl::InvalidArgumentError("TLS needs both a certificate and its key");
  }
  TlsTexts texts;
  for (const auto& [path, text] :
       {std::pair(&files.certificate, &texts.certificate), std::pair(&files.key, &texts.key),
        std::pair(&files.client_authorities, &texts.client_authorities)}) {
    if (path->empty()) continue;
    absl::StatusOr<std::string> read = base::ReadFile(*path, kMaxFileBytes);
    if (!read.ok()) return read.status();
    *text = *std::move(read);
  }
  const absl::StatusOr<Certificate> certificate =
      ReadCertificates(files.certificate, texts.certificate);
  if (!certificate.ok()) return certificate.status();
  const absl::StatusOr<Key> key = ReadKey(files.key, texts.key);
  if (!key.ok()) return key.status();
  if (X509_check_private_key(certificate->get(), key->get()) != 1) {
    return Bad(files.key, absl::StrCat("is not the key of ", files.certificate));
  }
  const absl::Time begins = TimeOf(X509_get0_notBefore(certificate->get()));
  texts.expires = TimeOf(X509_get0_notAfter(certificate->get()));
  if (now > texts.expires) {
    return Bad(files.certificate, absl::StrCat("expired at ", Shown(texts.expires)));
  }
  if (now < begins) {
    return Bad(files.certificate, absl::StrCat("is valid only from ", Shown(begins), " on"));
  }
  if (!files.client_authorities.empty()) {
    const absl::StatusOr<Certificate> authority =
        ReadCertificates(files.client_authorities, texts.client_authorities);
    if (!authority.ok()) return authority.status();
  }
  return texts;
}

// Adds gRPC's own TLS to a server, with a callback that supplies the last loaded certificates.
class ServerCertificates::Credentials final : public grpc::ServerCredentials {
 public:
  explicit Credentials(ServerCertificates& from)
      : credentials_(grpc_ssl_server_credentials_create_with_options(
            grpc_ssl_server_credentials_create_options_using_config_fetcher(
                from.files_.client_authorities.empty()
                    ? GRPC_SSL_DONT_REQUEST_CLIENT_CERTIFICATE
                    : GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY,
                &Credentials::Fetch, &from))) {}
  ~Credentials() override { grpc_server_credentials_release(credentials_); }

  // Authorisation of calls is not part of these credentials.
  void SetAuthMetadataProcessor(
      const std::shared_ptr<grpc::AuthMetadataProcessor>& processor) override {
    static_cast<void>(processor);
  }

 private:
  int AddPortToServer(const std::string& address, grpc_server* server) override {
    return grpc_server_add_http2_port(server, address.c_str(), credentials_);
  }

  static grpc_ssl_certificate_config_reload_status Fetch(
      void* from, grpc_ssl_server_certificate_config** config) {
    auto& self = *static_cast<ServerCertificates*>(from);
    TlsTexts texts;
    {
      absl::MutexLock lock(&self.mutex_);
      if (std::exchange(self.fetched_, true)) return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_UNCHANGED;
      texts = self.texts_;
    }
    const grpc_ssl_pem_key_cert_pair pair = {texts.key.c_str(), texts.certificate.c_str()};
    // gRPC 1.51 aborts without authorities. Where client certificates are not requested they are
    // unused, so any will do.
    const std::string& authorities =
        texts.client_authorities.empty() ? texts.certificate : texts.client_authorities;
    *config = grpc_ssl_server_certificate_config_create(authorities.c_str(), &pair, 1);
    return GRPC_SSL_CERTIFICATE_CONFIG_RELOAD_NEW;
  }

  grpc_server_credentials* const credentials_;
};

absl::StatusOr<std::unique_ptr<ServerCertificates>> ServerCertificates::Load(
    const TlsFiles& files, std::function<absl::Time()> now) {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files, now());
  if (!texts.ok()) return texts.status();
  return std::unique_ptr<ServerCertificates>(
      new ServerCertificates(files, std::move(now), *std::move(texts)));
}

absl::Status ServerCertificates::Reload() {
  absl::StatusOr<TlsTexts> texts = ReadTlsFiles(files_, now_());
  if (!texts.ok()) return texts.status();
  absl::MutexLock lock(&mutex_);
  texts_ = *std::move(texts);
  fetched_ = false;
  return absl::OkStatus();
}

absl::Time ServerCertificates::expires() const {
  absl::MutexLock lock(&mutex_);
  return texts_.expires;
}

std::shared_ptr<grpc::ServerCredentials> ServerCertificates::ForServer() {
  return std::make_shared<Credentials>(*this);
}

}  // namespace gprofhub::cli
