#include "words.h"

int CountWords(const std::string& text) {
  int words = text.empty() ? 0 : 1;
  for (const char c : text) words += c == ' ';
  return words;
}
