// Scopes of tokens.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

enum class Scope : uint8_t {
  kUpload,       // send runs of pull requests and forks, and report gated findings of a check
  kUploadMain,   // send runs of the main line, the baseline of comparisons; implies kUpload
  kRead,         // query
  kAcknowledge,  // acknowledge changes, and withdraw own acknowledgements
  kAdmin,        // withdraw other users' acknowledgements
};

// The name in configuration: "upload", "upload-main", "read", "acknowledge", "admin".
absl::string_view NameOf(Scope scope);

// A set of scopes.
class Scopes {
 public:
  Scopes() = default;
  static Scopes All();

  // Comma-separated names, such as "upload,read". INVALID_ARGUMENT for an unknown name, and for an
  // empty set.
  static absl::StatusOr<Scopes> Parse(absl::string_view names);

  Scopes With(Scope scope) const;
  bool Has(Scope scope) const;
  // The names, with commas, in the order of the scopes.
  std::string Names() const;

  friend bool operator==(const Scopes&, const Scopes&) = default;

 private:
  uint32_t bits_ = 0;
};

}  // namespace gprofhub::collector
