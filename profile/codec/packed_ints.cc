// A column is its form (1 byte), then
//   runs    until all numbers are present: the number (varint), its repetitions (varint, at
//           least 1)
//   frames  for each 64 numbers or the rest: the smallest (varint); the number of zero bits that
//           all differences to it end in, and the number of bits before those (1 byte each, at
//           most 64 together); then these bits, low ones first, padded with zeros to a whole byte

#include "profile/codec/packed_ints.h"

#include <algorithm>

#include "profile/codec/wire.h"

namespace gprofhub::profile {
namespace {

constexpr uint8_t kRuns = 0;
constexpr uint8_t kFrames = 1;
constexpr size_t kFrame = 64;

std::string InRuns(absl::Span<const uint64_t> numbers) {
  std::string out(1, kRuns);
  for (auto begin = numbers.begin(); begin != numbers.end();) {
    const auto end = std::find_if(begin, numbers.end(), [&](uint64_t n) { return n != *begin; });
    AppendVarint(*begin, out);
    AppendVarint(static_cast<uint64_t>(end - begin), out);
    begin = end;
  }
  return out;
}

int BitsOf(uint64_t number) { return number == 0 ? 0 : 64 - __builtin_clzll(number); }

size_t BytesOf(size_t count, int bits) { return (count * static_cast<size_t>(bits) + 7) / 8; }

std::string InFrames(absl::Span<const uint64_t> numbers) {
  std::string out(1, kFrames);
  for (; !numbers.empty(); numbers.remove_prefix(std::min(kFrame, numbers.size()))) {
    const absl::Span<const uint64_t> frame = numbers.first(std::min(kFrame, numbers.size()));
    const auto least = std::min_element(frame.begin(), frame.end());
    uint64_t any = 0;
    for (const uint64_t number : frame) any |= number - *least;
    const int zeros = any == 0 ? 0 : __builtin_ctzll(any);
    const int bits = BitsOf(any >> zeros);
    AppendVarint(*least, out);
    out += static_cast<char>(zeros);
    out += static_cast<char>(bits);
    unsigned __int128 waiting = 0;
    int waiting_bits = 0;
    for (const uint64_t number : frame) {
      waiting |= static_cast<unsigned __int128>((number - *least) >> zeros) << waiting_bits;
      for (waiting_bits += bits; waiting_bits >= 8; waiting_bits -= 8, waiting >>= 8) {
        out += static_cast<char>(waiting & 0xff);
      }
    }
    if (waiting_bits > 0) out += static_cast<char>(waiting & 0xff);
  }
  return out;
}

bool TakeRuns(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers) {
  while (numbers.size() < count) {
    uint64_t number = 0;
    uint64_t times = 0;
    if (!TakeVarint(bytes, number) || !TakeVarint(bytes, times)) return false;
    if (times == 0 || times > count - numbers.size()) return false;
    numbers.insert(numbers.end(), times, number);
  }
  return true;
}

bool TakeFrame(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers) {
  uint64_t least = 0;
  if (!TakeVarint(bytes, least) || bytes.size() < 2) return false;
  const int zeros = static_cast<unsigned char>(bytes[0]);
  const int bits = static_cast<unsigned char>(bytes[1]);
  bytes.remove_prefix(2);
  const size_t size = BytesOf(count, bits);
  if (zeros >= 64 || zeros + bits > 64 || size > bytes.size()) return false;
  const uint64_t mask = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  unsigned __int128 waiting = 0;
  int waiting_bits = 0;
  auto next = bytes.begin();
  for (size_t i = 0; i < count; ++i) {
    for (; waiting_bits < bits; waiting_bits += 8) {
      waiting |= static_cast<unsigned __int128>(static_cast<unsigned char>(*next++))
                 << waiting_bits;
    }
    const uint64_t difference = (static_cast<uint64_t>(waiting) & mask) << zeros;
    if (difference > ~uint64_t{0} - least) return false;
    numbers.push_back(least + difference);
    waiting >>= bits;
    waiting_bits -= bits;
  }
  bytes.remove_prefix(size);
  return true;
}

}  // namespace

void AppendPacked(absl::Span<const uint64_t> numbers, std::string& out) {
  const std::string runs = InRuns(numbers);
  const std::string frames = InFrames(numbers);
  out += runs.size() <= frames.size() ? runs : frames;
}

bool TakePacked(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers) {
  numbers.clear();
  numbers.reserve(count);
  if (bytes.empty()) return false;
  const uint8_t form = static_cast<uint8_t>(bytes.front());
  bytes.remove_prefix(1);
  if (form == kRuns) return TakeRuns(bytes, count, numbers);
  if (form != kFrames) return false;
  while (numbers.size() < count) {
    if (!TakeFrame(bytes, std::min(kFrame, count - numbers.size()), numbers)) return false;
  }
  return true;
}

}  // namespace gprofhub::profile
