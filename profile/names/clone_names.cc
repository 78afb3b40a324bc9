#include "profile/names/clone_names.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "absl/strings/ascii.h"

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

}  // namespace gprofhub::profile
