#include "store/packing/content_tables.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "store/packing/varint.h"

namespace gprofhub::store {
namespace {

using base::FieldKind;
using base::TableField;
using base::TableLayout;
using base::TablePart;

constexpr size_t kMostParts = 4096;
constexpr size_t kMostFields = 64;

// The least that a row takes.
size_t BytesOf(const TablePart& part) {
  size_t bytes = 0;
  for (const TableField& field : part.fields) bytes += std::max<size_t>(1, field.bytes);
  return std::max<size_t>(1, bytes);
}

bool IsField(const TableField& field) {
  if (field.bytes > 8 || field.kind > FieldKind::kQuotient) return false;
  return field.kind != FieldKind::kQuotient || field.bytes == 8;
}

// Of a machine with the low bytes first.
uint64_t LowFirst(uint64_t value) {
  return std::endian::native == std::endian::big ? __builtin_bswap64(value) : value;
}

bool TakeNumber(absl::string_view& bytes, size_t size, uint64_t& value) {
  if (size == 0) return TakeVarint(bytes, value);
  if (bytes.size() < size) return false;
  value = 0;
  std::memcpy(&value, bytes.data(), size);
  value = LowFirst(value);
  bytes.remove_prefix(size);
  return true;
}

// Writes into bytes that are there already.
class Writer {
 public:
  explicit Writer(std::string& bytes) : next_(bytes.data()), end_(next_ + bytes.size()) {}

  size_t left() const { return static_cast<size_t>(end_ - next_); }
  // Each is false if it does not fit.
  bool Skip(uint64_t rows, size_t row_bytes) {
    if (rows > left() / row_bytes) return false;
    next_ += rows * row_bytes;
    return true;
  }
  bool Put(absl::string_view bytes) {
    if (bytes.size() > left()) return false;
    next_ = std::copy(bytes.begin(), bytes.end(), next_);
    return true;
  }
  bool Put(uint64_t value, size_t size) {
    if (size > 0) {
      if (size > left()) return false;
      value = LowFirst(value);
      std::memcpy(next_, &value, size);
      next_ += size;
      return true;
    }
    for (; left() > 0; value >>= 7) {
      *next_++ = static_cast<char>(value < 0x80 ? value : value | 0x80);
      if (value < 0x80) return true;
    }
    return false;
  }

 private:
  char* next_;
  char* const end_;
};

bool TakeRow(absl::string_view& bytes, const TablePart& part, ContentTable& table) {
  for (size_t i = 0; i < part.fields.size(); ++i) {
    uint64_t value = 0;
    if (!TakeNumber(bytes, part.fields[i].bytes, value)) return false;
    table.columns[i].push_back(value);
  }
  return true;
}

// Most tables have one: without a loop over fields it takes half the time.
bool TakeColumn(absl::string_view& bytes, size_t size, uint64_t rows,
                std::vector<uint64_t>& column) {
  absl::string_view rest = bytes;
  for (uint64_t row = 0; row < rows; ++row) {
    uint64_t value = 0;
    if (!TakeNumber(rest, size, value)) return false;
    column.push_back(value);
  }
  bytes = rest;
  return true;
}

bool TakeTable(absl::string_view& bytes, const TablePart& part, ContentTable& table) {
  table.columns.resize(part.fields.size());
  if (!part.is_sparse) {
    for (std::vector<uint64_t>& column : table.columns) column.reserve(part.rows);
    if (table.columns.size() == 1) {
      return TakeColumn(bytes, part.fields[0].bytes, part.rows, table.columns[0]);
    }
    for (uint64_t row = 0; row < part.rows; ++row) {
      if (!TakeRow(bytes, part, table)) return false;
    }
    return true;
  }
  const size_t row_bytes = BytesOf(part);
  if (part.rows > bytes.size() / row_bytes) return false;
  for (uint64_t row = 0; row < part.rows;) {
    const absl::string_view rest = bytes.substr(0, (part.rows - row) * row_bytes);
    const uint64_t gap = std::min(rest.find_first_not_of('\0'), rest.size()) / row_bytes;
    bytes.remove_prefix(gap * row_bytes);
    row += gap;
    table.gaps.push_back(gap);
    if (row == part.rows) return true;
    TakeRow(bytes, part, table);
    ++row;
  }
  table.gaps.push_back(0);
  return true;
}

bool PutTable(const ContentTable& table, const TablePart& part, Writer& bytes) {
  const size_t rows = table.rows();
  if (part.is_sparse ? table.gaps.size() != rows + 1 : rows != part.rows) return false;
  const size_t row_bytes = BytesOf(part);
  for (size_t row = 0; row < rows; ++row) {
    if (part.is_sparse && !bytes.Skip(table.gaps[row], row_bytes)) return false;
    for (size_t i = 0; i < part.fields.size(); ++i) {
      if (!bytes.Put(table.columns[i][row], part.fields[i].bytes)) return false;
    }
  }
  return !part.is_sparse || bytes.Skip(table.gaps[rows], row_bytes);
}

}  // namespace

bool IsLayout(const TableLayout& layout, size_t size) {
  if (size > kLargestTables || layout.size() > kMostParts) return false;
  size_t left = size;
  for (const TablePart& part : layout) {
    if (part.fields.size() > kMostFields || part.rows > left / BytesOf(part)) return false;
    left -= part.rows * BytesOf(part);
    if (part.fields.empty() && part.is_sparse) return false;
    for (const TableField& field : part.fields) {
      if (!IsField(field) || (part.is_sparse && field.bytes == 0)) return false;
    }
  }
  return true;
}

std::optional<ContentTables> TakeApart(absl::string_view content, const TableLayout& layout) {
  if (!IsLayout(layout, content.size())) return std::nullopt;
  ContentTables tables;
  for (const TablePart& part : layout) {
    if (part.fields.empty()) {
      if (part.rows > content.size()) return std::nullopt;
      tables.text.append(content.data(), part.rows);
      content.remove_prefix(part.rows);
    } else if (!TakeTable(content, part, tables.tables.emplace_back())) {
      return std::nullopt;
    }
  }
  if (!content.empty()) return std::nullopt;
  return tables;
}

std::optional<std::string> PutTogether(const ContentTables& tables, const TableLayout& layout,
                                       size_t size) {
  if (size > kLargestTables) return std::nullopt;
  std::string content(size, '\0');
  Writer writer(content);
  absl::string_view text = tables.text;
  auto table = tables.tables.begin();
  for (const TablePart& part : layout) {
    if (part.fields.empty()) {
      if (part.rows > text.size() || !writer.Put(text.substr(0, part.rows))) return std::nullopt;
      text.remove_prefix(part.rows);
    } else if (table == tables.tables.end() || !PutTable(*table++, part, writer)) {
      return std::nullopt;
    }
  }
  if (!text.empty() || writer.left() > 0) return std::nullopt;
  return content;
}

}  // namespace gprofhub::store
