#include "profile/layouts/gmon_layout.h"

#include <cstddef>
#include <cstdint>
#include <initializer_list>

#include "profile/codec/wire.h"
#include "profile/gmon/format.h"

namespace gprofhub::profile {
namespace {

using base::FieldKind;
using base::TableLayout;
using base::TablePart;

enum Name : uint32_t { kHeader = 1, kArcs, kHistogram, kBlocks, kBlock };

// Takes the file apart, if its words have so many bytes.
class Describer {
 public:
  Describer(absl::string_view content, uint8_t word) : content_(content), word_(word) {}

  TableLayout Describe() {
    Add(kHeader, 1, {{8}, {8}, {4}});
    while (at_ < content_.size()) {
      if (!AddRecord()) return {};
    }
    return layout_;
  }

 private:
  bool AddRecord() {
    switch (content_[at_]) {
      case GMON_TAG_HISTOGRAM: {
        const uint64_t bins = NumberAt(at_ + 1 + 2 * size_t{word_}, 4);
        if (!Add(kHistogram, 1, {{1}, {word_}, {word_}, {4}, {4}, {8}, {8}})) return false;
        // Samples fall by chance: none is compared with another's.
        const bool fits = Add(0, bins, {{GMON_BIN_SIZE}});
        layout_.back().is_sparse = true;
        return fits;
      }
      case GMON_TAG_ARC: {
        const FieldKind address = FieldKind::kPlace;
        size_t arcs = 0;
        const size_t size = 1 + GMON_ARC_SIZE(size_t{word_});
        for (size_t at = at_; at + size <= content_.size() && content_[at] == GMON_TAG_ARC;) {
          ++arcs;
          at += size;
        }
        return arcs > 0 && Add(kArcs, arcs, {{1}, {word_, address}, {word_, address}, {4}});
      }
      case GMON_TAG_BLOCKS: {
        const uint64_t blocks = NumberAt(at_ + 1, GMON_BLOCKS_SIZE);
        return Add(kBlocks, 1, {{1}, {GMON_BLOCKS_SIZE}}) &&
               Add(kBlock, blocks, {{word_, FieldKind::kStep}, {word_}});
      }
      default:
        return false;
    }
  }

  // 0 where the file ends before.
  uint64_t NumberAt(size_t at, size_t size) const {
    absl::string_view rest = at < content_.size() ? content_.substr(at) : absl::string_view();
    uint64_t value = 0;
    return TakeFixed(rest, size, value) ? value : 0;
  }

  // False if the file ends before.
  bool Add(Name name, uint64_t rows, std::initializer_list<base::TableField> fields) {
    return Add(static_cast<uint32_t>(name), rows, fields);
  }
  bool Add(uint32_t name, uint64_t rows, std::initializer_list<base::TableField> fields) {
    TablePart part = {rows, fields, false, name, 0};
    size_t size = 0;
    for (const base::TableField& field : fields) size += field.bytes;
    if (rows > (content_.size() - at_) / size) return false;
    at_ += rows * size;
    layout_.push_back(std::move(part));
    return true;
  }

  absl::string_view content_;
  uint8_t word_;
  size_t at_ = 0;
  TableLayout layout_;
};

}  // namespace

base::TableLayout DescribeGmon(absl::string_view content) {
  absl::string_view version = content.substr(0, GMON_HEADER_SIZE);
  if (version.size() < GMON_HEADER_SIZE || version.substr(0, GMON_MAGIC_SIZE) != GMON_MAGIC) {
    return {};
  }
  version.remove_prefix(GMON_MAGIC_SIZE);
  uint64_t number = 0;
  if (!TakeFixed(version, 4, number) || number != GMON_VERSION) return {};
  // The file does not say how long its words are. With the other length it does not come out even.
  TableLayout layout = Describer(content, 8).Describe();
  return layout.empty() ? Describer(content, 4).Describe() : layout;
}

}  // namespace gprofhub::profile
