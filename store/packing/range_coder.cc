#include "store/packing/range_coder.h"

#include <bit>
#include <utility>

namespace gprofhub::store {
namespace {

constexpr uint32_t kTop = uint32_t{1} << 24;

uint32_t BoundOf(uint32_t range, const BitModel& model) { return (range >> 16) * model.zero(); }

}  // namespace

void RangeEncoder::Bit(BitModel& model, bool bit) {
  const uint32_t bound = BoundOf(range_, model);
  if (bit) {
    low_ += bound;
    range_ -= bound;
  } else {
    range_ = bound;
  }
  model.Learn(bit);
  while (range_ < kTop) {
    range_ <<= 8;
    Shift();
  }
}

void RangeEncoder::Plain(uint64_t value, int bits) {
  for (int i = bits - 1; i >= 0; --i) {
    range_ >>= 1;
    if ((value >> i & 1) != 0) low_ += range_;
    while (range_ < kTop) {
      range_ <<= 8;
      Shift();
    }
  }
}

void RangeEncoder::Number(NumberModel& model, uint64_t value) {
  const int length = std::bit_width(value);
  for (int i = 0; i < length; ++i) Bit(model.length[i], true);
  if (length < 64) Bit(model.length[length], false);
  if (length < 2) return;
  std::array<BitModel, 3>& high = model.HighOf(length);
  const bool first = (value >> (length - 2) & 1) != 0;
  Bit(high[0], first);
  if (length < 3) return;
  Bit(high[first ? 2 : 1], (value >> (length - 3) & 1) != 0);
  Plain(value, length - 3);
}

// Moves the highest byte out. A carry may still change it, and bytes of 0xFF behind it.
void RangeEncoder::Shift() {
  const uint8_t top = static_cast<uint8_t>(low_ >> 24);
  const bool carry = low_ >> 32 != 0;
  if (carry || top != 0xFF) {
    if (has_last_) bytes_.push_back(static_cast<char>(last_ + (carry ? 1 : 0)));
    for (; pending_ > 0; --pending_) bytes_.push_back(carry ? '\0' : '\xFF');
    last_ = top;
    has_last_ = true;
  } else {
    ++pending_;
  }
  low_ = (low_ & (kTop - 1)) << 8;
}

std::string RangeEncoder::Take() {
  // Of all numbers in the range, one that ends in zeros, which need not be written.
  const uint64_t end = low_ + range_ - 1;
  for (int bits = 31; bits > 0; --bits) {
    const uint64_t round = end >> bits << bits;
    if (round >= low_) {
      low_ = round;
      break;
    }
  }
  for (int i = 0; i < 5; ++i) Shift();
  // The decoder reads four bytes ahead, and zeros beyond the end.
  for (int i = 0; i < 4 && !bytes_.empty() && bytes_.back() == '\0'; ++i) bytes_.pop_back();
  return std::move(bytes_);
}

RangeDecoder::RangeDecoder(absl::string_view bytes) : rest_(bytes) {
  for (int i = 0; i < 4; ++i) code_ = code_ << 8 | Next();
}

uint8_t RangeDecoder::Next() {
  if (rest_.empty()) {
    ++beyond_;
    return 0;
  }
  const uint8_t next = static_cast<uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return next;
}

bool RangeDecoder::Bit(BitModel& model) {
  const uint32_t bound = BoundOf(range_, model);
  const bool bit = code_ >= bound;
  if (bit) {
    code_ -= bound;
    range_ -= bound;
  } else {
    range_ = bound;
  }
  model.Learn(bit);
  while (range_ < kTop) {
    range_ <<= 8;
    code_ = code_ << 8 | Next();
  }
  return bit;
}

uint64_t RangeDecoder::Plain(int bits) {
  uint64_t value = 0;
  for (int i = 0; i < bits; ++i) {
    range_ >>= 1;
    const bool bit = code_ >= range_;
    if (bit) code_ -= range_;
    value = value << 1 | (bit ? 1 : 0);
    while (range_ < kTop) {
      range_ <<= 8;
      code_ = code_ << 8 | Next();
    }
  }
  return value;
}

uint64_t RangeDecoder::Number(NumberModel& model) {
  int length = 0;
  while (length < 64 && Bit(model.length[length])) ++length;
  if (length < 2) return static_cast<uint64_t>(length);
  std::array<BitModel, 3>& high = model.HighOf(length);
  const bool first = Bit(high[0]);
  uint64_t value = first ? 3 : 2;
  if (length < 3) return value;
  value = value << 1 | (Bit(high[first ? 2 : 1]) ? 1 : 0);
  return length == 3 ? value : value << (length - 3) | Plain(length - 3);
}

}  // namespace gprofhub::store
