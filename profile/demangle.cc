// A mangled name can stand for a text exponentially longer than itself: a
// substitution (S_, S0_, …) stands for something written before, so that every
// pair<S_, S_> doubles it, and a pack expansion (Dp) repeats its pattern. 200
// bytes make 35 MB. Names come from uploads and __cxa_demangle has no limit, so
// an upper bound of the text's length is computed first, without parsing:
//   - an identifier gives its length, another letter at most a word;
//   - what substitution k stands for was complete before k was first referred
//     to, so it is no longer than the text up to there, and neither is any
//     lower-numbered one's;
//   - a template parameter (T_, T0_, …) stands for an argument written before;
//   - a pack expansion of more than a parameter repeats the rest at most once
//     for each token; several of them may be nested, and multiply.
// Of the 44,000 functions that a listing of LLVM names, 23 large templates are
// refused although their text would be short: the bound is not a tight one.

#include "profile/demangle.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace gprofhub {
namespace {

// The demangler recurses over the name.
constexpr size_t kLongestName = 16384;
constexpr uint64_t kLongestText = uint64_t{8} << 20;

// Longest text of a letter code ("unsigned long long", " const"), and of a
// standard abbreviation (Ss: std::basic_string<…>).
constexpr uint64_t kWord = 20;
constexpr uint64_t kAbbreviation = 80;

class TextBound {
 public:
  explicit TextBound(absl::string_view name) : name_(name), at_(2) {}

  // Upper bound of the text's length; above kLongestText it is only that.
  uint64_t Compute() {
    while (at_ < name_.size() && bound_ <= kLongestText) {
      ++tokens_;
      Token();
    }
    for (; repetitions_ > 0 && bound_ <= kLongestText; --repetitions_) bound_ *= tokens_;
    return bound_;
  }

 private:
  char Peek(size_t ahead) const { return at_ + ahead < name_.size() ? name_[at_ + ahead] : '\0'; }
  static bool IsSequence(char c) { return absl::ascii_isdigit(c) || absl::ascii_isupper(c); }

  void Token() {
    const char c = Peek(0);
    if (absl::ascii_isdigit(c)) {
      Identifier();
    } else if (c == 'S' && (Peek(1) == '_' || IsSequence(Peek(1)))) {
      Substitution();
    } else if (c == 'S') {
      bound_ += kAbbreviation;
      at_ += 2;
    } else if (c == 'T' && (Peek(1) == '_' || absl::ascii_isdigit(Peek(1)))) {
      if (arguments_ == 0) arguments_ = bound_;
      bound_ += arguments_;
      at_ += 2;
    } else if (c == 'D' && Peek(1) == 'p') {
      at_ += 2;
      while (Peek(0) == 'O' || Peek(0) == 'R' || Peek(0) == 'K') ++at_;
      if (Peek(0) != 'T') ++repetitions_;
      bound_ += kWord * name_.size();
    } else if (c == 's' && Peek(1) == 'p') {  // the same in an expression
      at_ += 2;
      if (Peek(0) != 'T') ++repetitions_;
      bound_ += kWord * name_.size();
    } else {
      // Arguments that begin here may be what the next parameter stands for; a
      // constructor repeats its class's name.
      if (c == 'I') arguments_ = 0;
      bound_ += c == 'C' || c == 'D' ? kWord + longest_identifier_ : kWord;
      ++at_;
    }
  }

  void Identifier() {
    uint64_t length = 0;
    while (absl::ascii_isdigit(Peek(0))) {
      length = std::min<uint64_t>(length * 10 + (Peek(0) - '0'), name_.size());
      ++at_;
    }
    length = std::min<uint64_t>(length, name_.size() - at_);
    at_ += length;
    longest_identifier_ = std::max(longest_identifier_, length);
    bound_ += length + kWord;
  }

  void Substitution() {
    uint64_t id = 0;
    ++at_;
    for (; IsSequence(Peek(0)); ++at_) {
      const uint64_t digit = absl::ascii_isdigit(Peek(0)) ? Peek(0) - '0' : Peek(0) - 'A' + 10;
      id = std::min<uint64_t>(id * 36 + digit + 1, kLongestName);
    }
    ++at_;
    if (first_references_.empty() || id > first_references_.back().first) {
      first_references_.emplace_back(id, bound_);
    }
    bound_ += std::lower_bound(first_references_.begin(), first_references_.end(),
                               std::pair<uint64_t, uint64_t>(id, 0))
                  ->second;
  }

  absl::string_view name_;
  size_t at_;
  uint64_t bound_ = 0;
  uint64_t tokens_ = 0;
  uint64_t repetitions_ = 0;
  uint64_t arguments_ = 0;  // bound of a template argument; 0: not known yet
  uint64_t longest_identifier_ = 0;
  // Substitutions in the order of their first references, those out of order
  // left out: number, and bound there. Both ascend.
  std::vector<std::pair<uint64_t, uint64_t>> first_references_;
};

struct Free {
  void operator()(char* text) const { std::free(text); }
};

}  // namespace

std::string Demangle(absl::string_view name) {
  std::string linkage_name(name);
  if (!absl::StartsWith(name, "_Z") || name.size() > kLongestName ||
      TextBound(name).Compute() > kLongestText) {
    return linkage_name;
  }
  int status = 0;
  const std::unique_ptr<char, Free> text(
      abi::__cxa_demangle(linkage_name.c_str(), nullptr, nullptr, &status));
  return status == 0 && text != nullptr ? std::string(text.get()) : linkage_name;
}

}  // namespace gprofhub
