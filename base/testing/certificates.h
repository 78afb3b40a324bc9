// Certificates for TLS tests: a CA, and certificates that it signs. Keys are on the curve P-256,
// which is fast to generate. Validity begins one hour ago.
#pragma once

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace gprofhub::base {

struct TestCertificate {
  std::string certificate;  // PEM
  std::string key;          // PEM
};

class TestAuthority {
 public:
  // Aborts the test process if OpenSSL fails.
  explicit TestAuthority(absl::string_view name = "a test's authority");
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // The CA's certificate, PEM.
  const std::string& certificate() const;

  // A certificate for `host`: a name, or an IPv4 address if it begins with a digit. `lifetime`
  // counts from now; a negative one has expired.
  TestCertificate Issue(absl::string_view host, absl::Duration lifetime = absl::Hours(48)) const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace gprofhub::base
