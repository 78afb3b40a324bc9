#include "store/objects/s3/xml.h"

#include <expat.h>

#include <cstddef>
#include <limits>
#include <memory>
#include <type_traits>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

constexpr size_t kDeepest = 16;
constexpr size_t kMostElements = 50'000;

struct Free {
  void operator()(XML_Parser parser) const { XML_ParserFree(parser); }
};
using Parser = std::unique_ptr<std::remove_pointer_t<XML_Parser>, Free>;

struct Reading {
  XML_Parser parser = nullptr;
  XmlElement root;
  // The open elements, the innermost last. A parent's list grows only after its last child is
  // closed, so the pointers stay valid.
  std::vector<XmlElement*> open;
  size_t elements = 0;
  const char* refused = nullptr;

  void Refuse(const char* why) {
    refused = why;
    XML_StopParser(parser, XML_FALSE);
  }
};

void OnStart(void* user, const XML_Char* name, const XML_Char**) {
  Reading& reading = *static_cast<Reading*>(user);
  if (reading.open.size() >= kDeepest) return reading.Refuse("it is too deep");
  if (++reading.elements > kMostElements) return reading.Refuse("it has too many elements");
  XmlElement* element = &reading.root;
  if (!reading.open.empty()) element = &reading.open.back()->children.emplace_back();
  element->name = name;
  reading.open.push_back(element);
}

void OnEnd(void* user, const XML_Char*) { static_cast<Reading*>(user)->open.pop_back(); }

void OnText(void* user, const XML_Char* text, int size) {
  const Reading& reading = *static_cast<Reading*>(user);
  if (!reading.open.empty()) reading.open.back()->text.append(text, static_cast<size_t>(size));
}

void OnDoctype(void* user, const XML_Char*, const XML_Char*, const XML_Char*, int) {
  static_cast<Reading*>(user)->Refuse("it has a DOCTYPE");
}

}  // namespace

const XmlElement* XmlElement::Child(absl::string_view child) const {
  for (const XmlElement& element : children) {
    if (element.name == child) return &element;
  }
  return nullptr;
}

absl::string_view XmlElement::TextOf(absl::string_view child) const {
  const XmlElement* const found = Child(child);
  return found == nullptr ? absl::string_view() : absl::string_view(found->text);
}

absl::StatusOr<XmlElement> ParseXml(absl::string_view text) {
  if (text.size() > static_cast<size_t>(std::numeric_limits<int>::max())) {
    return absl::InvalidArgumentError("no XML: it is too long");
  }
  const Parser parser(XML_ParserCreate(nullptr));
  if (parser == nullptr) return absl::ResourceExhaustedError("libexpat is out of memory");
  Reading reading;
  reading.parser = parser.get();
  XML_SetUserData(parser.get(), &reading);
  XML_SetElementHandler(parser.get(), OnStart, OnEnd);
  XML_SetCharacterDataHandler(parser.get(), OnText);
  XML_SetStartDoctypeDeclHandler(parser.get(), OnDoctype);
  const XML_Status status =
      XML_Parse(parser.get(), text.data(), static_cast<int>(text.size()), XML_TRUE);
  if (status != XML_STATUS_OK) {
    return absl::InvalidArgumentError(absl::StrCat(
        "no XML: ", reading.refused != nullptr ? reading.refused
                                               : XML_ErrorString(XML_GetErrorCode(parser.get()))));
  }
  return std::move(reading.root);
}

}  // namespace gprofhub::store
