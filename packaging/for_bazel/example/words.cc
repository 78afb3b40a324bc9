#include <string>

// Words of the text, which single blanks separate.
int CountWords(const std::string& text) {
  int words = text.empty() ? 0 : 1;
  for (const char c : text) words += c == ' ';
  return words;
}
