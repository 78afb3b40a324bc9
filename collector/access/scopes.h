// Scopes of tokens.
#pragma once

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::collector {

enum class Scope : uint8_t {
  kUpload,       // send runs of pull requests and forks, and count what a check gated
  kUploadMain,   // send runs of the main line, which others are judged against; implies kUpload
  kRead,         // ask
  kAcknowledge,  // say that a change is all right, and take that back
  kAdmin,        // take back what others said
};

// As people write it: "upload", "upload-main", "read", "acknowledge", "admin".
absl::string_view NameOf(Scope scope);

// A set of scopes.
class Scopes {
 public:
  Scopes() = default;
  static Scopes All();

  // Names with commas between them, such as "upload,read". INVALID_ARGUMENT for a name that is
  // none, and for an empty set.
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
