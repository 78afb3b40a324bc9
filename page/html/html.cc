#include "page/html/html.h"

#include <array>

#include "absl/algorithm/container.h"
#include "absl/strings/str_cat.h"
#include "base/printable.h"

namespace gprofhub::page {
namespace {

// https://html.spec.whatwg.org/multipage/syntax.html#void-elements
constexpr std::array<absl::string_view, 7> kVoid = {"br",   "hr",   "img", "input",
                                                    "link", "meta", "wbr"};

void AppendEscaped(absl::string_view text, std::string& out) {
  for (const char c : text) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
}

}  // namespace

Attribute Href(const Url& url) { return {absl::string_view("href"), url}; }
Attribute Src(const Url& url) { return {absl::string_view("src"), url}; }
Attribute Action(const Url& url) { return {absl::string_view("action"), url}; }

Html::Html(absl::string_view text) { AppendEscaped(base::Printable(text), bytes_); }
Html::Html(const char* text) : Html(absl::string_view(text)) {}
Html::Html(const std::string& text) : Html(absl::string_view(text)) {}

Html Html::Lines(absl::string_view text) {
  Html html;
  AppendEscaped(base::PrintableLines(text), html.bytes_);
  return html;
}

Html El(TagName name, const Attributes& attributes, std::initializer_list<Html> content) {
  Html html;
  std::string& out = html.bytes_;
  absl::StrAppend(&out, "<", name.text());
  for (const Attribute& attribute : attributes) {
    absl::StrAppend(&out, " ", attribute.name(), "=\"");
    AppendEscaped(base::PrintableLines(attribute.value()), out);
    out += '"';
  }
  out += '>';
  if (absl::c_linear_search(kVoid, name.text())) return html;
  for (const Html& piece : content) out += piece.bytes_;
  absl::StrAppend(&out, "</", name.text(), ">");
  return html;
}

Html Join(std::initializer_list<Html> pieces) {
  Html html;
  for (const Html& piece : pieces) html.Add(piece);
  return html;
}

Html Join(const std::vector<Html>& pieces) {
  Html html;
  for (const Html& piece : pieces) html.Add(piece);
  return html;
}

Html Link(const Url& url, const Html& content, absl::string_view css_class) {
  Attributes attributes = {Href(url)};
  if (!css_class.empty()) attributes.push_back(Attribute("class", css_class));
  if (url.is_external()) attributes.push_back(Attribute("rel", "noopener noreferrer"));
  return El("a", attributes, content);
}

Html ScriptTag(const Url& url) {
  Html html;
  html.bytes_ = "<script type=\"module\" src=\"";
  AppendEscaped(url.text(), html.bytes_);
  html.bytes_ += "\"></script>";
  return html;
}

std::string Document(const Html& head, const Html& body) {
  return absl::StrCat("<!doctype html>\n<html lang=\"en\"><head>", head.bytes(), "</head><body>",
                      body.bytes(), "</body></html>\n");
}

}  // namespace gprofhub::page
