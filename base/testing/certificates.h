// Certificates for tests of TLS: an authority, and what it signs. Keys are of the curve P-256, so
// that a test makes many in a moment. What is made is valid from an hour ago on.
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
  // Aborts the test's process where OpenSSL cannot make what is asked for.
  explicit TestAuthority(absl::string_view name = "a test's authority");
  ~TestAuthority();
  TestAuthority(const TestAuthority&) = delete;
  TestAuthority& operator=(const TestAuthority&) = delete;

  // Its own certificate, PEM.
  const std::string& certificate() const;

  // For `host`, a name or, if it begins with a digit, an IPv4 address. `lifetime` counts from now
  // on; a negative one is over.
  TestCertificate Issue(absl::string_view host, absl::Duration lifetime = absl::Hours(48)) const;

 private:
  struct Impl;
  const std::unique_ptr<Impl> impl_;
};

}  // namespace gprofhub::base
