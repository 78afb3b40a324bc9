// Validating reader of hand-written JSON documents. Reports the first error and its location.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"

namespace gprofhub::reporter {

// Parses JSON. INVALID_ARGUMENT "FILE: …" if it is malformed, or if an object has a duplicate
// field: other readers would use the other value.
absl::StatusOr<nlohmann::json> ParseStrictly(absl::string_view text, absl::string_view file);

// Reads values and keeps the first error. Values read after an error are meaningless. A `path` is
// the location of a value, as in "gates[2]". A path that is a prefix of a field ends with a dot.
class JsonReader {
 public:
  using Json = nlohmann::json;

  explicit JsonReader(absl::string_view file) : file_(file) {}

  // INVALID_ARGUMENT "FILE: PATH: WHAT" for the first error.
  const absl::Status& status() const { return status_; }
  void Fail(absl::string_view path, absl::string_view what);

  // Whether it is an object with no other fields than these.
  bool Object(const Json& value, const std::string& path, const std::set<std::string>& fields);

  // The list under `field`, or nothing.
  const Json* List(const Json& object, const std::string& path, const char* field);

  // A text of 1 to 1000 bytes without NUL.
  std::string Text(const Json& value, const std::string& path);
  // A required field.
  std::string TextField(const Json& object, const std::string& path, const char* field);
  std::vector<std::string> Texts(const Json& object, const std::string& path, const char* field);

  // From 0 to `most`.
  double Number(const Json& object, const std::string& path, const char* field, double most,
                double otherwise);
  bool Boolean(const Json& object, const std::string& path, const char* field, bool otherwise);

  // The words of a list, mapped to values. `otherwise` if there is no list.
  template <typename Value, typename Word, size_t kCount>
  std::vector<Value> Words(const Json& object, const std::string& path, const char* field,
                           const Word (&words)[kCount], std::vector<Value> otherwise) {
    if (!object.contains(field)) return otherwise;
    std::vector<Value> values;
    const std::vector<std::string> texts = Texts(object, path, field);
    for (size_t i = 0; i < texts.size(); ++i) {
      std::vector<std::string> known;
      std::optional<Value> value;
      for (const Word& word : words) {
        known.push_back(word.name);
        if (texts[i] == word.name) value = word.value;
      }
      if (value.has_value()) {
        values.push_back(*value);
      } else {
        Fail(absl::StrCat(path, field, "[", i, "]"),
             absl::StrCat("must be one of ", absl::StrJoin(known, ", ")));
      }
    }
    if (values.empty()) Fail(path + field, "must not be empty");
    return values;
  }

 private:
  const std::string file_;
  absl::Status status_;
};

}  // namespace gprofhub::reporter
