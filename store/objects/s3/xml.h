// XML as S3 servers answer it: elements and text. What a document declares is refused, so nothing
// in it is read from elsewhere and nothing grows.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

struct XmlElement {
  std::string name;
  std::string text;  // its own, without its children's
  std::vector<XmlElement> children;

  // The first child of that name; nullptr if there is none.
  const XmlElement* Child(absl::string_view child) const;
  // The text of that child; empty if there is none.
  absl::string_view TextOf(absl::string_view child) const;
};

// The root. INVALID_ARGUMENT if `text` is no XML, has a DOCTYPE, or is deeper (16) or has more
// elements (50,000) than any answer of S3.
absl::StatusOr<XmlElement> ParseXml(absl::string_view text);

}  // namespace gprofhub::store
