#include "page/html.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/http/percent_coding.h"
#include "base/text.h"

namespace gprofhub::page {

Url Url::Path(std::initializer_list<absl::string_view> segments) {
  Url url;
  for (const absl::string_view segment : segments) {
    absl::StrAppend(&url.text_, "/", base::PercentEncoded(base::ToUtf8(segment)));
  }
  if (url.text_.empty()) url.text_ = "/";
  return url;
}

std::optional<Url> Url::External(absl::string_view address) {
  const bool is_http =
      absl::StartsWith(address, "https://") || absl::StartsWith(address, "http://");
  const auto is_plain = [](char c) {
    return absl::ascii_isgraph(static_cast<unsigned char>(c)) && !absl::StrContains("\"'<>`\\", c);
  };
  if (!is_http || !std::all_of(address.begin(), address.end(), is_plain)) return std::nullopt;
  Url url;
  url.text_ = std::string(address);
  url.is_external_ = true;
  return url;
}

Url Url::Here(absl::string_view fragment) { return Url().At(fragment); }

Url Url::With(absl::string_view name, absl::string_view value) const {
  if (value.empty()) return *this;
  Url url = *this;
  absl::StrAppend(&url.text_, absl::StrContains(text_, '?') ? "&" : "?", base::PercentEncoded(name),
                  "=", base::PercentEncoded(base::ToUtf8(value)));
  return url;
}

Url Url::At(absl::string_view fragment) const {
  Url url = *this;
  absl::StrAppend(&url.text_, "#", base::PercentEncoded(fragment));
  return url;
}

std::string Url::text(absl::string_view path_prefix) const {
  return is_own_path() ? absl::StrCat(path_prefix, text_) : text_;
}

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

Attribute Href(const Url& url) { return {url, absl::string_view("href")}; }
Attribute Src(const Url& url) { return {url, absl::string_view("src")}; }
Attribute Action(const Url& url) { return {url, absl::string_view("action")}; }

Html::Html(absl::string_view text) { AppendEscaped(base::Printable(text), bytes_); }
Html::Html(const char* text) : Html(absl::string_view(text)) {}
Html::Html(const std::string& text) : Html(absl::string_view(text)) {}

Html Html::Lines(absl::string_view text) {
  Html html;
  AppendEscaped(base::PrintableLines(text), html.bytes_);
  return html;
}

Html& Html::Add(const Html& piece) {
  for (const size_t place : piece.own_paths_) own_paths_.push_back(bytes_.size() + place);
  bytes_ += piece.bytes_;
  return *this;
}

std::string Html::BytesBelow(absl::string_view path_prefix) const {
  std::string out;
  out.reserve(bytes_.size() + own_paths_.size() * path_prefix.size());
  size_t done = 0;
  for (const size_t place : own_paths_) {
    out.append(bytes_, done, place - done);
    absl::StrAppend(&out, path_prefix);
    done = place;
  }
  return out.append(bytes_, done);
}

Html El(TagName name, const Attributes& attributes, std::initializer_list<Html> content) {
  Html html;
  std::string& out = html.bytes_;
  absl::StrAppend(&out, "<", name.text());
  for (const Attribute& attribute : attributes) {
    absl::StrAppend(&out, " ", attribute.name(), "=\"");
    if (attribute.is_own_path()) html.own_paths_.push_back(out.size());
    AppendEscaped(base::PrintableLines(attribute.value()), out);
    out += '"';
  }
  out += '>';
  if (absl::c_linear_search(kVoid, name.text())) return html;
  for (const Html& piece : content) html.Add(piece);
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
  const Attribute src = Src(url);
  if (src.is_own_path()) html.own_paths_.push_back(html.bytes_.size());
  AppendEscaped(src.value(), html.bytes_);
  html.bytes_ += "\"></script>";
  return html;
}

std::string Document(const Html& head, const Html& body, absl::string_view path_prefix) {
  return absl::StrCat("<!doctype html>\n<html lang=\"en\"><head>", head.BytesBelow(path_prefix),
                      "</head><body>", body.BytesBelow(path_prefix), "</body></html>\n");
}

Html Table(absl::string_view caption, const std::vector<Column>& columns,
           const std::vector<Row>& rows) {
  std::vector<Html> heads;
  for (const Column& column : columns) {
    Attributes attributes = {{"scope", "col"}};
    if (column.is_number) attributes.push_back(Attribute("class", "num"));
    if (!column.hint.empty()) attributes.push_back(Attribute("title", column.hint));
    heads.push_back(El("th", attributes, Html(column.head)));
  }
  std::vector<Html> body;
  for (const Row& row : rows) {
    std::vector<Html> cells;
    for (size_t i = 0; i < row.cells.size(); ++i) {
      Attributes of_cell;
      if (i < columns.size() && columns[i].is_number) of_cell.push_back({"class", "num"});
      // Narrow screens show each row as a card, whose cells name their columns.
      if (i < columns.size() && !columns[i].head.empty() && !row.cells[i].empty()) {
        of_cell.push_back({"data-label", columns[i].head});
      }
      cells.push_back(El("td", of_cell, row.cells[i]));
    }
    Attributes attributes;
    if (!row.id.empty()) attributes.push_back(Attribute("id", row.id));
    if (!row.css_class.empty()) attributes.push_back(Attribute("class", row.css_class));
    body.push_back(El("tr", attributes, Join(cells)));
  }
  return El("div",
            {{"class", "scroll"}, {"tabindex", "0"}, {"role", "region"}, {"aria-label", caption}},
            El("table", {},
               {El("caption", {}, Html(caption)), El("thead", {}, El("tr", {}, Join(heads))),
                El("tbody", {}, Join(body))}));
}

Html Facts(const std::vector<std::pair<std::string, Html>>& facts) {
  std::vector<Html> pieces;
  for (const auto& [name, value] : facts) {
    if (value.empty()) continue;
    pieces.push_back(El("div", {}, {El("dt", {}, Html(name)), El("dd", {}, value)}));
  }
  return El("dl", {{"class", "facts"}}, Join(pieces));
}

Html Bar(double share, absl::string_view css_class) {
  const double width = std::isfinite(share) ? std::clamp(share, 0.0, 1.0) * 100 : 0;
  return El("svg",
            {{"class", css_class},
             {"viewBox", "0 0 100 6"},
             {"preserveAspectRatio", "none"},
             {"aria-hidden", "true"}},
            El("rect", {{"width", absl::StrCat(width)}, {"height", "6"}}));
}

}  // namespace gprofhub::page
