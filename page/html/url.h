// Addresses of our own pages, and of the pages that they lead to.
#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <utility>

#include "absl/strings/string_view.h"

namespace gprofhub::page {

// An address that is safe in href, src and action: a path of this server, or http(s). It cannot be
// "javascript:…", whatever a profile says, because nothing else makes one.
class Url {
 public:
  // A path of this server: "/" and the segments, each percent-coded. No segments: "/".
  static Url Path(std::initializer_list<absl::string_view> segments);
  // A place on the page itself.
  static Url Here(absl::string_view fragment);
  // An address beyond this server. Nothing unless it begins with https:// or http:// and has no
  // blanks, quotes or control characters.
  static std::optional<Url> External(absl::string_view address);

  // With one more `name=value` in its query; nothing is added where the value is empty.
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
