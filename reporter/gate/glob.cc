#include "reporter/gate/glob.h"

namespace gprofhub {

// Only the newest star needs to be tried again: what an older one took is as
// good as any other choice for what follows it.
bool GlobMatches(absl::string_view pattern, absl::string_view text) {
  size_t p = 0, t = 0;
  size_t after_star = absl::string_view::npos, star_took_to = 0;
  while (t < text.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      after_star = ++p;
      star_took_to = t;
    } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
      ++p, ++t;
    } else if (after_star != absl::string_view::npos) {
      p = after_star;
      t = ++star_took_to;
    } else {
      return false;
    }
  }
  while (p < pattern.size() && pattern[p] == '*') ++p;
  return p == pattern.size();
}

}  // namespace gprofhub
