// HTML that is escaped by construction.
//
// No function turns a string into markup. Names of elements and attributes are checked at compile
// time: elements that run scripts from their content, and attributes that hold a script, a style or
// markup, do not compile. Addresses are Urls.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"

namespace gprofhub::page {

// Addresses of our own pages and of external ones.

// An address that is safe in href, src and action: a path of this server, or http(s). It cannot be
// "javascript:…", whatever the profile contains: the constructors are the only way to make one.
//
// Browsers may reach the pages below a path of another server ("path prefix": "/gprofhub", or
// empty). A Url has no prefix: its output does, by text() or Document().
class Url {
 public:
  // A path of this server: "/" and the percent-encoded segments. Without segments: "/". Names of
  // functions and files are bytes, and addresses are text: segments and values are converted
  // (base::ToUtf8).
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

  // As a browser needs it, outside of HTML: with the prefix, if it is a path of this server.
  std::string text(absl::string_view path_prefix) const;
  bool is_external() const { return is_external_; }

 private:
  friend class Attribute;
  bool is_own_path() const { return !text_.empty() && text_.front() == '/'; }

  std::string text_;
  bool is_external_ = false;
};

// A name in the source: lower-case letters, digits and hyphens (and capitals, for SVG's viewBox).
class TagName {
 public:
  consteval TagName(const char* name) : name_(name) {  // NOLINT: names are written as literals
    if (!IsName(name_) || name_ == "script" || name_ == "style" || name_ == "iframe" ||
        name_ == "object" || name_ == "embed" || name_ == "base") {
      throw "not an element that pages may have";
    }
  }
  constexpr absl::string_view text() const { return name_; }

  static constexpr bool IsName(absl::string_view name) {
    for (const char c : name) {
      if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
            c == '-')) {
        return false;
      }
    }
    return !name.empty();
  }

 private:
  absl::string_view name_;
};

class AttributeName {
 public:
  consteval AttributeName(const char* name) : name_(name) {  // NOLINT: as above
    const bool is_handler = name_.size() > 2 && name_[0] == 'o' && name_[1] == 'n';
    if (!TagName::IsName(name_) || is_handler || name_ == "style" || name_ == "srcdoc" ||
        name_ == "href" || name_ == "src" || name_ == "action" || name_ == "formaction") {
      throw "not an attribute with a text: addresses are given with Href, Src and Action";
    }
  }
  constexpr absl::string_view text() const { return name_; }

 private:
  absl::string_view name_;
};

class Attribute {
 public:
  Attribute(AttributeName name, absl::string_view value) : name_(name.text()), value_(value) {}
  // An address for scripts.
  Attribute(AttributeName name, const Url& url) : Attribute(url, name.text()) {}

  absl::string_view name() const { return name_; }
  const std::string& value() const { return value_; }
  bool is_own_path() const { return is_own_path_; }

 private:
  friend Attribute Href(const Url& url);
  friend Attribute Src(const Url& url);
  friend Attribute Action(const Url& url);
  Attribute(const Url& url, absl::string_view name)
      : name_(name), value_(url.text_), is_own_path_(url.is_own_path()) {}

  absl::string_view name_;  // a literal
  std::string value_;
  bool is_own_path_ = false;  // a Url that is a path of this server
};

Attribute Href(const Url& url);
Attribute Src(const Url& url);
Attribute Action(const Url& url);

using Attributes = std::vector<Attribute>;

// A complete piece of a page.
class Html {
 public:
  Html() = default;
  // Text is escaped. Control characters and bidirectional overrides are replaced as base::Printable
  // does.
  Html(absl::string_view text);   // NOLINT: text may stand wherever a piece may
  Html(const char* text);         // NOLINT
  Html(const std::string& text);  // NOLINT

  // Text with line breaks, as <pre> shows it.
  static Html Lines(absl::string_view text);

  Html& Add(const Html& piece);
  bool empty() const { return bytes_.empty(); }
  // Paths of this server are without the prefix.
  const std::string& bytes() const { return bytes_; }

 private:
  friend Html El(TagName name, const Attributes& attributes, std::initializer_list<Html> content);
  friend Html ScriptTag(const Url& url);
  friend std::string Document(const Html& head, const Html& body, absl::string_view path_prefix);
  std::string BytesBelow(absl::string_view path_prefix) const;

  std::string bytes_;
  std::vector<size_t> own_paths_;  // where they begin in bytes_, ascending
};

// An element with its content. Void elements, such as <br>, get no end tag.
Html El(TagName name, const Attributes& attributes = {}, std::initializer_list<Html> content = {});
inline Html El(TagName name, const Attributes& attributes, const Html& content) {
  return El(name, attributes, {content});
}

// Concatenates the pieces.
Html Join(std::initializer_list<Html> pieces);
Html Join(const std::vector<Html>& pieces);

// A link. An external one is announced to screen readers, and has no referrer and no opener.
Html Link(const Url& url, const Html& content, absl::string_view css_class = "");

// Runs a script of this server, as a module, once the page is parsed.
Html ScriptTag(const Url& url);

// The whole document, including the doctype. Puts the prefix before the paths of this server.
std::string Document(const Html& head, const Html& body, absl::string_view path_prefix);

// Tables that work without scripts.

struct Column {
  std::string head;
  bool is_number = false;  // right-aligned, tabular digits
  std::string hint = {};   // what the column means
};

struct Row {
  std::vector<Html> cells;
  std::string id = {};         // anchor; empty: none
  std::string css_class = {};  // empty: none
};

// A table, whose rows are cards on narrow screens. `caption` names it, also for screen readers.
Html Table(absl::string_view caption, const std::vector<Column>& columns,
           const std::vector<Row>& rows);

// "name: value" pairs.
Html Facts(const std::vector<std::pair<std::string, Html>>& facts);

// A bar for a share, 0 to 1, next to its number. Hidden from screen readers.
Html Bar(double share, absl::string_view css_class = "bar");

}  // namespace gprofhub::page
