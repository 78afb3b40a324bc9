#include "reporter/policy/json_reader.h"

#include <cstddef>

#include "base/printable.h"

namespace gprofhub::reporter {
namespace {

constexpr size_t kMaxEntries = 1000;
constexpr size_t kMaxTextBytes = 1000;

}  // namespace

absl::StatusOr<nlohmann::json> ParseStrictly(absl::string_view text, absl::string_view file) {
  using Json = nlohmann::json;
  std::vector<std::set<std::string>> open;
  std::string repeated;
  const Json::parser_callback_t watch = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) open.emplace_back();
    if (event == Json::parse_event_t::object_end && !open.empty()) open.pop_back();
    if (event == Json::parse_event_t::key && !open.empty() && repeated.empty() &&
        !open.back().insert(parsed.get<std::string>()).second) {
      repeated = parsed.get<std::string>();
    }
    return true;
  };
  try {
    Json json = Json::parse(text.begin(), text.end(), watch);
    if (!repeated.empty()) {
      return absl::InvalidArgumentError(
          absl::StrCat(file, ": ", base::Printable(repeated), ": is there twice in one object"));
    }
    return json;
  } catch (const Json::parse_error& error) {
    return absl::InvalidArgumentError(
        absl::StrCat(file, ": byte ", error.byte, ": this is no JSON"));
  } catch (const Json::exception&) {
    return absl::InvalidArgumentError(absl::StrCat(file, ": a number is out of range"));
  }
}

void JsonReader::Fail(absl::string_view path, absl::string_view what) {
  if (!status_.ok()) return;
  status_ = absl::InvalidArgumentError(
      absl::StrCat(file_, ": ", path.empty() ? "" : absl::StrCat(path, ": "), what));
}

bool JsonReader::Object(const Json& value, const std::string& path,
                        const std::set<std::string>& fields) {
  if (!value.is_object()) {
    Fail(path, "must be an object {…}");
    return false;
  }
  for (const auto& [name, field] : value.items()) {
    if (!fields.contains(name)) {
      Fail(absl::StrCat(path, path.empty() ? "" : ".", base::Printable(name)),
           absl::StrCat("is no field; there are ", absl::StrJoin(fields, ", ")));
      return false;
    }
  }
  return true;
}

const JsonReader::Json* JsonReader::List(const Json& object, const std::string& path,
                                         const char* field) {
  const auto found = object.find(field);
  if (found == object.end()) return nullptr;
  if (found->is_array() && found->size() <= kMaxEntries) return &*found;
  Fail(path + field, absl::StrCat("must be a list […] of at most ", kMaxEntries));
  return nullptr;
}

std::string JsonReader::Text(const Json& value, const std::string& path) {
  if (value.is_string()) {
    const std::string text = value.get<std::string>();
    if (!text.empty() && text.size() <= kMaxTextBytes && text.find('\0') == std::string::npos) {
      return text;
    }
  }
  Fail(path, absl::StrCat("must be a text of 1 to ", kMaxTextBytes, " bytes"));
  return "";
}

std::string JsonReader::TextField(const Json& object, const std::string& path, const char* field) {
  const auto found = object.find(field);
  if (found != object.end()) return Text(*found, path + field);
  Fail(path + field, "is missing");
  return "";
}

std::vector<std::string> JsonReader::Texts(const Json& object, const std::string& path,
                                           const char* field) {
  std::vector<std::string> texts;
  const Json* const list = List(object, path, field);
  for (size_t i = 0; list != nullptr && i < list->size(); ++i) {
    texts.push_back(Text((*list)[i], absl::StrCat(path, field, "[", i, "]")));
  }
  return texts;
}

double JsonReader::Number(const Json& object, const std::string& path, const char* field,
                          double most, double otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (found->is_number()) {
    const double number = found->get<double>();
    if (number >= 0 && number <= most) return number;
  }
  Fail(path + field, absl::StrCat("must be a number from 0 to ", most));
  return otherwise;
}

bool JsonReader::Boolean(const Json& object, const std::string& path, const char* field,
                         bool otherwise) {
  const auto found = object.find(field);
  if (found == object.end()) return otherwise;
  if (found->is_boolean()) return found->get<bool>();
  Fail(path + field, "must be true or false");
  return otherwise;
}

}  // namespace gprofhub::reporter
