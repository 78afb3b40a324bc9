// XML of S3 servers' responses: elements and text. Document type declarations are refused, so no
// external entity is read and no entity expands.
#pragma once

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace gprofhub::store {

struct XmlElement {
  std::string name;
  std::string text;  // without its children's text
  std::vector<XmlElement> children;

  // The first child of that name; nullptr if absent.
  const XmlElement* Child(absl::string_view child) const;
  // The text of that child; empty if absent.
  absl::string_view TextOf(absl::string_view child) const;
};

// The root. INVALID_ARGUMENT if `text` is not XML, has a DOCTYPE, or is deeper (16) or has more
// elements (50,000) than any response of S3.
absl::StatusOr<XmlElement> ParseXml(absl::string_view text);

}  // namespace gprofhub::store
