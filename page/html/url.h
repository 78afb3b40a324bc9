// Addresses of our own pages and of external ones.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace gprofhub::page {

// An address that is safe in href, src and action: a path of this server, or http(s). It cannot be
// "javascript:…", whatever the profile contains: the constructors are the only way to make one.
class Url {
 public:
  // A path of this server: "/" and the percent-encoded segments. Without segments: "/".
  static Url Path(std::initializer_list<absl::string_view> segments);
  // A fragment of the same page.
  static Url Here(absl::string_view fragment);
  // An external address. Nothing unless it begins with https:// or http:// and has no blanks,
  // quotes or control characters.
  static std::optional<Url> External(absl::string_view address);

  // Appends `name=value` to the query, unless the value is empty.
  Url With(absl::string_view name, absl::string_view value) const;
  // With this fragment.
  Url At(absl::string_view fragment) const;

  const std::string& text() const { return text_; }
  bool is_external() const { return is_external_; }

 private:
  std::string text_;
  bool is_external_ = false;
};

}  // namespace gprofhub::page
