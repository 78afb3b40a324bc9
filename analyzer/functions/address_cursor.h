// Walking through what is sorted by address.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gprofhub::analyzer {

// Walks through ascending addresses in a sorted list, always at the last element
// that begins at or before the address.
template <typename Element>
class AddressCursor {
 public:
  explicit AddressCursor(const std::vector<Element>& elements) : elements_(elements) {}

  // Null before the first element.
  const Element* MoveTo(uint64_t address) {
    while (next_ < elements_.size() && elements_[next_].address <= address) ++next_;
    return next_ == 0 ? nullptr : &elements_[next_ - 1];
  }
  uint64_t NextAddress() const {
    return next_ < elements_.size() ? elements_[next_].address : UINT64_MAX;
  }

 private:
  const std::vector<Element>& elements_;
  size_t next_ = 0;
};

}  // namespace gprofhub::analyzer
