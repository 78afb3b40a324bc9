// Workload of RE2: compiling expressions, searching, extracting, replacing, sets of expressions.
// The argument is how often.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "re2/re2.h"
#include "re2/set.h"

namespace {

unsigned seed = 1;
unsigned long total = 0;

unsigned RandomBelow(unsigned n) {
  seed = seed * 1103515245u + 12345u;
  return (seed >> 16) % n;
}

std::string MakeLog(int lines) {
  static const char* const kWords[] = {"started", "stopped", "user", "ERROR", "time-out",
                                       "größe",   "retry",   "GET",  "café"};
  std::string text;
  for (int i = 0; i < lines; ++i) {
    text += "2021-" + std::to_string(10 + RandomBelow(3)) + "-" +
            std::to_string(10 + RandomBelow(20)) + " 10." + std::to_string(RandomBelow(256)) +
            ".0." + std::to_string(RandomBelow(256)) + " ";
    for (unsigned n = 3 + RandomBelow(5); n > 0; --n)
      text += std::string(kWords[RandomBelow(9)]) + " ";
    text += "mail" + std::to_string(RandomBelow(50)) +
            "@example.com size=" + std::to_string(RandomBelow(100000)) + "\n";
  }
  return text;
}

void Search(const std::string& text) {
  const RE2 address("(\\d+)\\.(\\d+)\\.(\\d+)\\.(\\d+)");
  re2::StringPiece rest(text);
  int a, b, c, d;
  while (RE2::FindAndConsume(&rest, address, &a, &b, &c, &d)) total += a + b + c + d;
  const RE2 mail("(?i)([a-z]+)(\\d*)@([a-z.]+)\\s+size=(\\d+)");
  rest = text;
  std::string name, number, host;
  int size;
  while (RE2::FindAndConsume(&rest, mail, &name, &number, &host, &size))
    total += size + name.size() + number.size();
  const RE2 words("\\p{L}+(?:-\\p{L}+)?\\s(?:ERROR|café)");
  rest = text;
  while (RE2::FindAndConsume(&rest, words)) ++total;
}

void Lines(const std::string& text) {
  RE2::Options longest;
  longest.set_longest_match(true);
  const RE2 whole("(\\d{4})-(\\d\\d)-(\\d\\d) (\\S+) (.*?) size=(\\d+)"),
      either("ERROR.*retry|retry.*ERROR|(GET|user)+", longest),
      nested("^((\\d+)-?)*\\s.*(x|y|(user|retry) )*$");
  RE2::Set set(RE2::Options(), RE2::UNANCHORED);
  for (const char* pattern :
       {"ERROR", "time-out.*mail1", "size=\\d{5}", "^2021-11", "gr.{1,2}e", "retry.*started.*size"})
    set.Add(pattern, nullptr);
  set.Compile();
  size_t at = 0, end;
  while ((end = text.find('\n', at)) != std::string::npos) {
    const re2::StringPiece line(text.data() + at, end - at);
    std::string date, middle, host;
    int month, size;
    if (RE2::FullMatch(line, whole, &date, &month, nullptr, &host, &middle, &size))
      total += month + size + middle.size();
    re2::StringPiece part;
    if (either.Match(line, 0, line.size(), RE2::UNANCHORED, &part, 1)) total += part.size();
    total += RE2::PartialMatch(line, nested);
    std::vector<int> matched;
    if (set.Match(line, &matched)) total += matched.size();
    at = end + 1;
  }
}

void Compile() {
  static const char* const kPatterns[] = {"(a|b|c)*d{2,5}[e-z]+",
                                          "(?i)stra(ß|ss)e\\b",
                                          "[\\p{Greek}\\p{Cyrillic}]{1,3}",
                                          "((((x?)y)*)z+){2}",
                                          "(abc|abd|acd|ace){3}",
                                          "\\w+\\s*=\\s*(\"[^\"]*\"|'[^']*'|[^\\s>]+)",
                                          "^(?:(?:25[0-5]|2[0-4]\\d|1?\\d?\\d)(?:\\.|$)){4}",
                                          "(?P<year>\\d{4})/(?P<day>\\d+)"};
  for (const char* pattern : kPatterns) {
    const RE2 compiled(pattern);
    total += compiled.ProgramSize() + compiled.NumberOfCapturingGroups();
    total += RE2::PartialMatch("abcd dde 2021/12 x=\"1\" xyz", compiled);
  }
}

void Replace(std::string text) {
  total += RE2::GlobalReplace(&text, "(\\w+)@(\\w+)", "\\2 at \\1");
  total += RE2::GlobalReplace(&text, "[aeiou]{2,}", "<\\0>");
  std::string out;
  if (RE2::Extract(text, "size=(\\d+)", "\\1 bytes", &out)) total += out.size();
  total += text.size();
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? atoi(argv[1]) : 1;
  for (int round = 0; round < rounds; ++round) {
    const std::string text = MakeLog(250);
    Search(text);
    Lines(text);
    Replace(text);
    for (int i = 0; i < 10; ++i) Compile();
  }
  printf("%lu\n", total);
  return 0;
}
