#include "words.h"

#include <algorithm>
#include <regex>
#include <set>

std::vector<std::string_view> Split(std::string_view text) {
  std::vector<std::string_view> words;
  size_t at = 0;
  while (at < text.size()) {
    const size_t end = std::min(text.find(' ', at), text.size());
    if (end > at) words.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

bool IsDate(const std::string& word) {
  static const std::regex pattern("[0-9]{4}-[0-9]{2}");
  return std::regex_match(word, pattern);
}

bool IsStopWord(std::string_view word) {
  static const std::set<std::string, std::less<>> words = {"the", "a",  "of",  "and",
                                                           "in",  "to", "for", "on"};
  return words.find(word) != words.end();
}

int WeightOf(std::string_view word) {
  return static_cast<int>(word.size()) + (word[0] < 'e' ? 3 : 1);
}

std::string Escape(const std::string& text) {
  std::string escaped;
  escaped.reserve(text.size());
  for (char c : text) {
    if (c == '<') {
      escaped += "&lt;";
    } else {
      escaped += c;
    }
  }
  return escaped;
}
