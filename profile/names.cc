#include "profile/names.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <iterator>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/text.h"

namespace gprofhub::profile {

namespace {

constexpr absl::string_view kCopyWords[] = {"isra",     "constprop", "part",      "clone",
                                            "lto_priv", "llvm",      "__uniq",    "specialized",
                                            "local",    "alias",     "localalias"};
constexpr absl::string_view kOtherWords[] = {"cold", "unlikely", "warm", "hot", "resolver"};

template <size_t kSize>
bool IsAmong(absl::string_view word, const absl::string_view (&words)[kSize]) {
  return std::find(std::begin(words), std::end(words), word) != std::end(words);
}

bool IsNumber(absl::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return absl::ascii_isdigit(static_cast<unsigned char>(c));
  });
}

}  // namespace

bool IsLibraryFile(absl::string_view file) {
  return absl::StartsWith(file, "/usr/") || absl::StartsWith(file, "/opt/") ||
         absl::StartsWith(file, "external/") || absl::StrContains(file, "/external/") ||
         absl::StrContains(file, "include/c++/") || absl::StrContains(file, "lib/gcc");
}

absl::string_view WithoutCloneSuffixes(absl::string_view name, CloneKinds kinds) {
  // Nearly all names have no dot.
  if (name.empty() || std::memchr(name.data(), '.', name.size()) == nullptr) return name;
  while (true) {
    size_t dot = name.rfind('.');
    if (dot == absl::string_view::npos || dot == 0) return name;
    absl::string_view word = name.substr(dot + 1);
    if (IsNumber(word)) {
      const size_t before = name.substr(0, dot).rfind('.');
      if (before == absl::string_view::npos || before == 0) return name;
      word = name.substr(before + 1, dot - before - 1);
      dot = before;
    }
    if (!IsAmong(word, kCopyWords) && (kinds == CloneKinds::kCopies || !IsAmong(word, kOtherWords)))
      return name;
    name = name.substr(0, dot);
  }
}

namespace {

// Longer ones do not occur in real programs, and the code below takes quadratic time.
constexpr size_t kMaxParsedBytes = 4096;

// Default template arguments, at the end of a list.
constexpr std::array<absl::string_view, 6> kDefaultArguments = {
    ", std::allocator<", ", std::char_traits<",    ", std::less<",
    ", std::equal_to<",  ", std::default_delete<", ", std::hash<"};

constexpr std::array<absl::string_view, 38> kOperators = {
    "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "++",
    "--",  "+=",  "-=",  "*=",  "/=", "%=", "^=", "&=", "|=", "->", "()", "[]", "<",
    ">",   "=",   "!",   "+",   "-",  "*",  "/",  "%",  "^",  "&",  "|",  "~"};

size_t Characters(absl::string_view text) {
  return std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; });
}

bool IsWord(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '$'; }

bool IsWordAt(absl::string_view text, size_t at, absl::string_view word) {
  if (at > 0 && IsWord(text[at - 1])) return false;
  const size_t end = at + word.size();
  return absl::StartsWith(text.substr(at), word) && (end >= text.size() || !IsWord(text[end]));
}

// The length of the operator's symbol at the beginning of `text`; 0 if there is none.
size_t OperatorSign(absl::string_view text) {
  for (const absl::string_view sign : kOperators) {
    if (absl::StartsWith(text, sign)) return sign.size();
  }
  return 0;
}

// One past the closing bracket of the one at `open`; npos if it has none.
size_t AfterPartner(absl::string_view text, size_t open) {
  std::string partners;
  for (size_t i = open; i < text.size(); ++i) {
    const char c = text[i];
    if (IsWordAt(text, i, "operator")) {
      i += 7 + OperatorSign(text.substr(i + 8));
    } else if (c == '(') {
      partners += ')';
    } else if (c == '[') {
      partners += ']';
    } else if (c == '{') {
      partners += '}';
    } else if (c == '<') {
      partners += '>';
    } else if (c == '>' && text[i - 1] == '-') {
      continue;  // an arrow, as in decltype
    } else if (c == ')' || c == ']' || c == '}' || c == '>') {
      if (partners.back() != c) return absl::string_view::npos;
      partners.pop_back();
      if (partners.empty()) return i + 1;
    }
  }
  return absl::string_view::npos;
}

// Shortens "std::vector<int, std::allocator<int> >" to "std::vector<int>".
void DropDefaultArguments(std::string& name) {
  // From the right: after one is removed, the one before it may be the last.
  for (size_t at = name.size(); at-- > 0;) {
    for (const absl::string_view argument : kDefaultArguments) {
      if (!absl::StartsWith(absl::string_view(name).substr(at), argument)) continue;
      const size_t end = AfterPartner(name, at + argument.size() - 1);
      if (end == std::string::npos) continue;
      size_t next = end;
      while (next < name.size() && name[next] == ' ') ++next;
      if (next < name.size() && name[next] == '>') name.erase(at, next - at);
    }
  }
}

std::string WithEverydayNames(absl::string_view display) {
  std::string name =
      absl::StrReplaceAll(display, {{"std::__cxx11::", "std::"}, {"std::__1::", "std::"}});
  name = absl::StrReplaceAll(name, {{"[abi:cxx11]", ""}});
  DropDefaultArguments(name);
  return absl::StrReplaceAll(name, {{"std::basic_string<char>", "std::string"},
                                    {"std::basic_string_view<char>", "std::string_view"},
                                    {"std::basic_ostream<char>", "std::ostream"},
                                    {"std::basic_istream<char>", "std::istream"},
                                    {"std::basic_iostream<char>", "std::iostream"},
                                    {"std::basic_stringstream<char>", "std::stringstream"},
                                    {"std::basic_ostringstream<char>", "std::ostringstream"},
                                    {"std::basic_istringstream<char>", "std::istringstream"}});
}

// The part between two "::": "insert<int>(int) const", split.
struct Component {
  std::string head;
  std::string arguments;   // with their brackets
  std::string parameters;  // with their brackets
  std::string tail;
};

struct Name {
  std::string return_type;  // with the blank after it
  std::vector<Component> components;

  Component& last() { return components.back(); }
};

class NameParser {
 public:
  explicit NameParser(absl::string_view text) : text_(text) {}

  std::optional<Name> Parse() {
    name_.components.emplace_back();
    while (at_ < text_.size()) {
      if (!Step()) return std::nullopt;
    }
    for (const Component& component : name_.components) {
      if (component.head.empty()) return std::nullopt;
    }
    return std::move(name_);
  }

 private:
  bool Step() {
    const char c = text_[at_];
    Component& here = name_.last();
    const bool is_complete = !here.parameters.empty();
    if (IsWordAt(text_, at_, "operator") && here.head.empty()) return TakeOperator();
    if (absl::StartsWith(text_.substr(at_), "::")) {
      at_ += 2;
      name_.components.emplace_back();
      return true;
    }
    if (c == ' ' && (!is_complete || here.head == "decltype")) return TakeBlank();
    // Rust begins names with "<Type as Trait>".
    if (c == '<' && !is_complete) return TakeGroup(here.head.empty() ? here.head : here.arguments);
    if (c == '(' && !is_complete) {
      const bool names_a_scope = absl::StartsWith(text_.substr(at_), "(anonymous namespace)");
      return TakeGroup(names_a_scope ? here.head : here.parameters);
    }
    if (c == '[' || (is_complete && (c == '<' || c == '('))) return TakeGroup(here.tail);
    if (c == '{') return TakeGroup(here.head);
    if (c == '>' || c == ')' || c == ']' || c == '}') return false;
    if (c == '/' || c == '-') return false;  // a path, or a compiler's option
    (is_complete || !here.arguments.empty() ? here.tail : here.head) += c;
    ++at_;
    return true;
  }

  bool TakeGroup(std::string& to) {
    const size_t end = AfterPartner(text_, at_);
    if (end == absl::string_view::npos) return false;
    absl::StrAppend(&to, text_.substr(at_, end - at_));
    at_ = end;
    return true;
  }

  // The name of an operator, up to its template arguments or parameters.
  bool TakeOperator() {
    size_t end = at_ + 8;
    end += OperatorSign(text_.substr(end));
    if (end == at_ + 8) {
      // new, delete, a literal operator, or a conversion to a type.
      while (end < text_.size() && text_[end] != '(') {
        end = text_[end] == '<' ? AfterPartner(text_, end) : end + 1;
      }
      if (end > text_.size()) return false;
    }
    name_.last().head = std::string(text_.substr(at_, end - at_));
    at_ = end;
    return true;
  }

  // A blank ends a return type, except between "operator<<" and its arguments.
  bool TakeBlank() {
    ++at_;
    if (at_ < text_.size() && text_[at_] == '<') return true;
    name_.return_type = std::string(text_.substr(0, at_));
    name_.components.clear();
    name_.components.emplace_back();
    return true;
  }

  const absl::string_view text_;
  size_t at_ = 0;
  Name name_;
};

std::string Joined(const Name& name) {
  std::string out = name.return_type;
  for (size_t i = 0; i < name.components.size(); ++i) {
    const Component& one = name.components[i];
    absl::StrAppend(&out, i == 0 ? "" : "::", one.head, one.arguments, one.parameters, one.tail);
  }
  return out;
}

void Hide(std::string& group, absl::string_view hidden) {
  if (group.size() > hidden.size()) group = std::string(hidden);
}

// The identifier that ends before `end`, without its template arguments and parameters.
absl::string_view WordBefore(absl::string_view text, size_t end) {
  if (absl::EndsWith(text.substr(0, end), " const")) end -= 6;
  int depth = 0;
  while (end > 0) {
    const char c = text[end - 1];
    if (c == ')' || c == '>') ++depth;
    if (depth == 0) break;
    if (c == '(' || c == '<') --depth;
    --end;
  }
  size_t begin = end;
  while (begin > 0 && (absl::ascii_isalnum(static_cast<unsigned char>(text[begin - 1])) ||
                       text[begin - 1] == '_' || text[begin - 1] == '~')) {
    --begin;
  }
  return text.substr(begin, end - begin);
}

// "<Sort::{lambda#2}>" of template arguments with "db::Sort(int)::{lambda(Row, Row)#2}": of all
// that a template was made for, it is the code that somebody wrote. Empty: there is none.
std::string ClosureOf(absl::string_view arguments) {
  constexpr absl::string_view kClosure = "::{lambda(";
  const size_t at = arguments.rfind(kClosure);
  if (at == absl::string_view::npos) return "";
  const size_t end = AfterPartner(arguments, at + 2);
  const size_t parameters = AfterPartner(arguments, at + kClosure.size() - 1);
  if (end == absl::string_view::npos || parameters == absl::string_view::npos) return "";
  return absl::StrCat("<", WordBefore(arguments, at), "::{lambda",
                      arguments.substr(parameters, end - parameters), ">");
}

void HideArguments(std::string& arguments) {
  const std::string closure = ClosureOf(arguments);
  Hide(arguments, closure.empty() ? "<...>" : closure);
}

// For a text that has more characters.
std::string CutBehind(absl::string_view text, size_t max_characters) {
  size_t characters = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] & 0xC0) == 0x80) continue;
    if (++characters == max_characters) {
      const size_t border = text.substr(0, i).rfind('_');
      const bool is_border = border != absl::string_view::npos && border > i / 2;
      return absl::StrCat(text.substr(0, is_border ? border + 1 : i), "…");
    }
  }
  return std::string(text);
}

// A shorter scope says little.
constexpr size_t kLeastScopeCharacters = 16;

// With the last scope cut in its middle, if no other is left; empty: not even that fits.
// Many classes have a function of that name: "Parser_ReadsAll…Comments_Test::TestBody()".
std::string WithClass(const Name& name, size_t max_characters) {
  if (name.components.size() != 2) return "";
  const std::string scope = Joined({"", {name.components.front()}});
  const std::string function = absl::StrCat("::", Joined({"", {name.components.back()}}));
  const size_t taken = Characters(function);
  if (taken + kLeastScopeCharacters > max_characters) return "";
  // Not "(anonymous namespace)", nor the class of a constructor or destructor.
  if (scope[0] != '{' && !absl::ascii_isalpha(static_cast<unsigned char>(scope[0]))) return "";
  if (absl::EndsWith(name.components.back().head, name.components.front().head)) return "";
  // Shortened in any case, as outer scopes may have been removed.
  const size_t room = std::min(max_characters - taken, Characters(scope) - 1);
  return absl::StrCat(base::Shortened(scope, room), function);
}

// Removes the least useful parts of the name until it fits.
std::string Fitted(Name name, size_t max_characters) {
  const auto fits = [&] { return Characters(Joined(name)) <= max_characters; };
  name.return_type.clear();
  if (fits()) return Joined(name);
  for (Component& component : name.components) Hide(component.parameters, "(...)");
  if (fits()) return Joined(name);
  for (Component& component : name.components) {
    HideArguments(component.arguments);
    if (fits()) return Joined(name);
  }
  for (Component& component : name.components) {
    Hide(component.arguments, "<...>");
    if (fits()) return Joined(name);
  }
  while (name.components.size() > 1) {
    if (const std::string with_class = WithClass(name, max_characters); !with_class.empty()) {
      return with_class;
    }
    name.components.erase(name.components.begin());
    const std::string inner = absl::StrCat("…::", Joined(name));
    if (Characters(inner) <= max_characters) return inner;
  }
  return fits() ? Joined(name) : CutBehind(Joined(name), max_characters);
}

}  // namespace

std::string ShortName(absl::string_view display, size_t max_characters) {
  max_characters = std::max<size_t>(max_characters, 1);
  if (display.size() > kMaxParsedBytes) return base::Shortened(display, max_characters);
  std::string everyday = WithEverydayNames(display);
  if (Characters(everyday) <= max_characters) return everyday;
  std::optional<Name> name = NameParser(everyday).Parse();
  if (!name.has_value()) return base::Shortened(everyday, max_characters);
  return Fitted(*std::move(name), max_characters);
}

}  // namespace gprofhub::profile
