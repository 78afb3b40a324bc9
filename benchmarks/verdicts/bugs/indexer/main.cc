// A text index: documents are split into words, stored, searched and printed. The argument is the
// number of documents in tens.
#include <cstdio>
#include <cstdlib>

#include "index.h"

namespace {

std::string WordOf(uint32_t number) {
  static const char* const kSyllables[] = {"ba", "ce", "di", "fo", "gu", "ka", "le", "mi"};
  std::string word;
  for (; number > 0; number /= 8) word += kSyllables[number % 8];
  return word;
}

std::string DocumentOf(uint32_t seed) {
  std::string text;
  for (int i = 0; i < 60; ++i) {
    seed = seed * 1664525u + 1013904223u;
    if (i % 9 == 4) {
      text += "the";
    } else if (i % 20 == 7) {
      text += "20" + std::to_string(10 + seed % 15) + "-05";
    } else {
      text += WordOf((seed >> 12) % 3000 + 1);
    }
    text += ' ';
  }
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const int count = 10 * (argc > 1 ? std::atoi(argv[1]) : 100);
  Index index;
  std::vector<std::string> documents;
  for (int i = 0; i < count; ++i) {
    documents.push_back(DocumentOf(i));
    index.Add(i, documents.back());
  }
  size_t sum = 0;
  for (int i = 0; i < count; ++i) {
    const std::string query = WordOf(i % 3000 + 1) + " " + WordOf(i * 7 % 3000 + 1);
    sum += Page(index.Query(query), documents).size();
  }
  std::printf("%zu %d\n", sum, index.dates());
  return 0;
}
