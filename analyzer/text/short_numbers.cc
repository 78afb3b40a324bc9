#include "analyzer/text/short_numbers.h"

namespace gprofhub::analyzer {

constexpr std::array<char, 40000> kPaddedToFour = [] {
  std::array<char, 40000> text{};
  for (int number = 0; number < 10000; ++number) {
    int rest = number;
    for (int place = 3; place >= 0; --place, rest /= 10) {
      const bool is_digit = rest > 0 || place == 3;
      text[4 * number + place] = static_cast<char>(is_digit ? '0' + rest % 10 : ' ');
    }
  }
  return text;
}();

}  // namespace gprofhub::analyzer
