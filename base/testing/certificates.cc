#include "base/testing/certificates.h"

#include <openssl/bio.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>
#include <cstdlib>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::base {

namespace {

struct Free {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(BIO* bio) const { BIO_free(bio); }
};
using Key = std::unique_ptr<EVP_PKEY, Free>;
using Certificate = std::unique_ptr<X509, Free>;
using Bio = std::unique_ptr<BIO, Free>;

void Require(bool done) {
  if (!done) std::abort();
}

Key MakeKey() {
  Key key(EVP_EC_gen("P-256"));
  Require(key != nullptr);
  return key;
}

// Not signed yet.
Certificate MakeCertificate(absl::string_view name, EVP_PKEY* key, absl::Duration lifetime) {
  Certificate made(X509_new());
  Require(made != nullptr && X509_set_version(made.get(), X509_VERSION_3) == 1);
  uint32_t serial = 0;
  Require(RAND_bytes(reinterpret_cast<unsigned char*>(&serial), sizeof(serial)) == 1);
  Require(ASN1_INTEGER_set_uint64(X509_get_serialNumber(made.get()), serial) == 1);
  constexpr long kHour = 3600;
  const long seconds = static_cast<long>(absl::ToInt64Seconds(lifetime));
  X509_gmtime_adj(X509_getm_notBefore(made.get()), seconds < 0 ? seconds - kHour : -kHour);
  X509_gmtime_adj(X509_getm_notAfter(made.get()), seconds);
  const std::string text(name);
  Require(X509_NAME_add_entry_by_txt(X509_get_subject_name(made.get()), "CN", MBSTRING_UTF8,
                                     reinterpret_cast<const unsigned char*>(text.c_str()), -1, -1,
                                     0) == 1);
  Require(X509_set_pubkey(made.get(), key) == 1);
  return made;
}

void Extend(X509* certificate, int what, const std::string& value) {
  X509_EXTENSION* extension = X509V3_EXT_conf_nid(nullptr, nullptr, what, value.c_str());
  Require(extension != nullptr && X509_add_ext(certificate, extension, -1) == 1);
  X509_EXTENSION_free(extension);
}

std::string Text(BIO* bio) {
  char* bytes = nullptr;
  const long size = BIO_get_mem_data(bio, &bytes);
  return std::string(bytes, static_cast<size_t>(size));
}

std::string Pem(X509* certificate) {
  const Bio bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_X509(bio.get(), certificate) == 1);
  return Text(bio.get());
}

std::string Pem(EVP_PKEY* key) {
  const Bio bio(BIO_new(BIO_s_mem()));
  Require(PEM_write_bio_PrivateKey(bio.get(), key, nullptr, nullptr, 0, nullptr, nullptr) == 1);
  return Text(bio.get());
}

}  // namespace

struct TestAuthority::Impl {
  Key key;
  Certificate certificate;
  std::string pem;
};

TestAuthority::TestAuthority(absl::string_view name) : impl_(std::make_unique<Impl>()) {
  impl_->key = MakeKey();
  impl_->certificate = MakeCertificate(name, impl_->key.get(), absl::Hours(48));
  X509* const own = impl_->certificate.get();
  Require(X509_set_issuer_name(own, X509_get_subject_name(own)) == 1);
  Extend(own, NID_basic_constraints, "critical,CA:TRUE");
  Extend(own, NID_key_usage, "critical,keyCertSign");
  Require(X509_sign(own, impl_->key.get(), EVP_sha256()) > 0);
  impl_->pem = Pem(own);
}

TestAuthority::~TestAuthority() = default;

const std::string& TestAuthority::certificate() const { return impl_->pem; }

TestCertificate TestAuthority::Issue(absl::string_view host, absl::Duration lifetime) const {
  const Key key = MakeKey();
  const Certificate made = MakeCertificate(host, key.get(), lifetime);
  Require(X509_set_issuer_name(made.get(), X509_get_subject_name(impl_->certificate.get())) == 1);
  const bool is_address = !host.empty() && absl::ascii_isdigit(host.front());
  Extend(made.get(), NID_subject_alt_name, absl::StrCat(is_address ? "IP:" : "DNS:", host));
  Require(X509_sign(made.get(), impl_->key.get(), EVP_sha256()) > 0);
  return {Pem(made.get()), Pem(key.get())};
}

}  // namespace gprofhub::base
