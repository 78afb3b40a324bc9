#include "store/packing/table_delta.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "store/packing/both_ways.h"
#include "store/packing/column_coder.h"
#include "store/packing/content_delta.h"
#include "store/packing/content_tables.h"
#include "store/packing/layout_coder.h"
#include "store/packing/varint.h"

namespace gprofhub::store {
namespace {

using base::FieldKind;
using base::TableField;
using base::TableLayout;
using base::TablePart;

// What is packed begins with it: no zstd frame does, so a program that knows frames only finds
// none. Another form would have another one.
constexpr char kForm = '\x01';

// One of the parts with fields.
struct TableRef {
  const TablePart* part = nullptr;
  ContentTable* table = nullptr;
};

std::vector<TableRef> TablesOf(const TableLayout& layout, ContentTables& tables) {
  std::vector<TableRef> refs;
  for (const TablePart& part : layout) {
    if (!part.fields.empty()) refs.push_back({&part, nullptr});
  }
  tables.tables.resize(refs.size());
  for (size_t i = 0; i < refs.size(); ++i) refs[i].table = &tables.tables[i];
  return refs;
}

// Of each of `tables`, the one of `base` that it is compared with; no part: none.
std::vector<TableRef> PairTables(const std::vector<TableRef>& tables,
                                 const std::vector<TableRef>& base) {
  std::map<uint32_t, std::vector<TableRef>> named;
  for (const TableRef& ref : base) named[ref.part->name].push_back(ref);
  std::map<uint32_t, size_t> taken;
  std::vector<TableRef> pairs;
  for (const TableRef& ref : tables) {
    const size_t number = taken[ref.part->name]++;
    const std::vector<TableRef>& same = named[ref.part->name];
    const bool is_like = ref.part->name != 0 && number < same.size() &&
                         same[number].part->fields == ref.part->fields &&
                         same[number].part->is_sparse == ref.part->is_sparse;
    pairs.push_back(is_like ? same[number] : TableRef());
  }
  return pairs;
}

// What does not move, of rows of the same thing: adds it to their signatures.
void Sign(const TableRef& ref, std::vector<uint64_t>& signatures) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  signatures.resize(ref.table->rows(), 0);
  for (size_t i = 0; i < ref.part->fields.size(); ++i) {
    const FieldKind kind = ref.part->fields[i].kind;
    const std::vector<uint64_t>& column = ref.table->columns[i];
    if (kind == FieldKind::kQuotient || kind == FieldKind::kRow) continue;
    std::vector<uint64_t> said = kind == FieldKind::kStep ? StepsOf(column) : column;
    if (kind == FieldKind::kPlace) {
      const std::vector<uint64_t> distinct = Distinct(column);
      const std::vector<uint64_t> steps = StepsOf(distinct);
      said = PlacesOf(column, distinct);
      for (uint64_t& place : said) place = steps[place];
    }
    for (size_t row = 0; row < said.size(); ++row) {
      uint64_t& sum = signatures[row];
      sum = (sum ^ said[row]) * kOdd;
      sum ^= sum >> 29;
    }
  }
}

// Writes or reads the tables of one content.
template <typename Way>
class TableCoder {
 public:
  TableCoder(Way& way, std::vector<TableRef> tables, const std::vector<TableRef>& base)
      : way_(way), tables_(std::move(tables)), pairs_(PairTables(tables_, base)) {}

  void Code() {
    for (size_t i = 0; i < tables_.size() && !way_.failed(); ++i) CodeTable(i);
  }

 private:
  void CodeTable(size_t i) {
    const TablePart& part = *tables_[i].part;
    ContentTable& table = *tables_[i].table;
    table.columns.resize(part.fields.size());
    if (part.is_sparse) CodeGaps(part, table);
    RowsKnown own;
    RowsKnown& known = KnownOf(i, own);
    if (way_.failed()) return;
    for (size_t k = 0; k < part.fields.size(); ++k) CodeField(i, k, known);
    if (!by_name_.contains(part.name)) by_name_[part.name] = &table.columns[0];
  }

  void CodeGaps(const TablePart& part, ContentTable& table) {
    constexpr size_t kLevels = 10;
    std::array<NumberModel, kLevels> models;
    NumberModel count;
    // Of what is not there nothing is kept; of what is, there is a gap before it, and one more.
    const uint64_t gaps = way_.Number(count, table.gaps.size());
    if (gaps == 0 || gaps - 1 > part.rows) return;
    uint64_t level = 0;
    for (uint64_t i = 0; i < gaps && !way_.failed(); ++i) {
      NumberModel& model = models[std::min<size_t>(std::bit_width(level), kLevels - 1)];
      const uint64_t gap = way_.Number(model, Way::kWrites ? table.gaps[i] : 0);
      if constexpr (!Way::kWrites) table.gaps.push_back(gap);
      level = (3 * level + 4 * std::min<uint64_t>(gap, 1 << 16)) / 4;
    }
  }

  size_t RowsOf(size_t i) const {
    const TableRef& ref = tables_[i];
    if (!ref.part->is_sparse) return ref.part->rows;
    return ref.table->gaps.empty() ? 0 : ref.table->gaps.size() - 1;
  }

  // What is known of the rows: for a group once.
  RowsKnown& KnownOf(size_t i, RowsKnown& own) {
    const TableRef& ref = tables_[i];
    const size_t rows = RowsOf(i);
    const size_t base_rows = pairs_[i].part == nullptr ? 0 : pairs_[i].table->rows();
    if (ref.part->group == 0 || ref.part->is_sparse) {
      Align({i}, rows, base_rows, own);
      return own;
    }
    const auto found = groups_.find(ref.part->group);
    if (found != groups_.end()) {
      if (found->second.rows == rows && found->second.base_rows == base_rows) return found->second;
      Align({i}, rows, base_rows, own);
      return own;
    }
    RowsKnown& known = groups_[ref.part->group];
    std::vector<size_t> members;
    for (size_t k = i; k < tables_.size(); ++k) {
      const bool is_member = tables_[k].part->group == ref.part->group &&
                             !tables_[k].part->is_sparse && RowsOf(k) == rows &&
                             pairs_[k].part != nullptr && pairs_[k].table->rows() == base_rows;
      if (is_member) members.push_back(k);
    }
    Align(members, rows, base_rows, known);
    return known;
  }

  void Align(const std::vector<size_t>& members, size_t rows, size_t base_rows, RowsKnown& known) {
    known.rows = rows;
    known.base_rows = base_rows;
    if constexpr (Way::kWrites) {
      if (base_rows > 0 && rows > 0) {
        std::vector<uint64_t> signatures;
        std::vector<uint64_t> base_signatures;
        for (const size_t member : members) {
          Sign(tables_[member], signatures);
          Sign(pairs_[member], base_signatures);
        }
        known.base_row = AlignRows(signatures, base_signatures);
      }
    }
    known.base_row.resize(rows, kNoRow);
    if (base_rows > 0) CodeAlignment(way_, known);
    TurnAround(known);
  }

  void CodeField(size_t i, size_t k, RowsKnown& known) {
    static const std::vector<uint64_t> kNone;
    const TableField& field = tables_[i].part->fields[k];
    std::vector<uint64_t>& values = tables_[i].table->columns[k];
    const std::vector<uint64_t>& base =
        pairs_[i].part == nullptr ? kNone : pairs_[i].table->columns[k];
    switch (field.kind) {
      case FieldKind::kStep:
        return CodeSteps(way_, known, values, base);
      case FieldKind::kPlace:
        return CodePlaces(way_, known, values, base);
      case FieldKind::kRow:
        return CodeRowNumbers(way_, known, values, base, groups_[field.of]);
      case FieldKind::kQuotient:
        return CodeQuotients(way_, known, values, base, AboutOf(field, known.rows));
      case FieldKind::kNumber:
        return CodeNumbers(way_, known, values, base);
    }
  }

  // What a quotient is about, by row; empty if nothing is known.
  std::vector<uint64_t> AboutOf(const TableField& field, size_t rows) const {
    const auto of = by_name_.find(field.of);
    const auto by = by_name_.find(field.by);
    std::vector<uint64_t> about;
    if (field.of == 0 || of == by_name_.end() || by == by_name_.end()) return about;
    if (by->second->size() != rows) return about;
    for (const uint64_t row : *by->second) {
      about.push_back(row < of->second->size() ? (*of->second)[row] : 0);
    }
    return about;
  }

  Way& way_;
  const std::vector<TableRef> tables_;
  const std::vector<TableRef> pairs_;
  std::map<uint32_t, RowsKnown> groups_;
  std::map<uint32_t, const std::vector<uint64_t>*> by_name_;  // the first column of tables
};

// Finds damage, of which nobody tries to make it look like none. zstd's checksum (XXH64) cannot be
// called, and SHA-256 takes as long as all else.
uint32_t ChecksumOf(absl::string_view content) {
  constexpr uint64_t kOdd = 0x9E3779B97F4A7C15;
  uint64_t sum = content.size();
  for (; !content.empty(); content.remove_prefix(std::min<size_t>(8, content.size()))) {
    uint64_t word = 0;
    std::memcpy(&word, content.data(), std::min<size_t>(8, content.size()));
    if constexpr (std::endian::native == std::endian::big) word = __builtin_bswap64(word);
    sum = (sum ^ word) * kOdd;
    sum ^= sum >> 32;
  }
  return static_cast<uint32_t>(sum * kOdd >> 32);
}

absl::Status Damaged() { return absl::DataLossError("what is packed is damaged"); }

}  // namespace

std::optional<std::string> PackTables(absl::string_view content, const TableLayout& layout,
                                      absl::string_view base, const TableLayout& base_layout) {
  std::optional<ContentTables> tables = TakeApart(content, layout);
  std::optional<ContentTables> base_tables = TakeApart(base, base_layout);
  if (!tables.has_value() || !base_tables.has_value()) return std::nullopt;
  NumberWriter way;
  TableLayout both[2] = {base_layout, layout};
  CodeLayout(way, both[0], {});
  CodeLayout(way, both[1], both[0]);
  TableCoder<NumberWriter>(way, TablesOf(layout, *tables), TablesOf(base_layout, *base_tables))
      .Code();
  std::string packed(1, kForm);
  AppendVarint(ChecksumOf(content), packed);
  AppendVarint(content.size(), packed);
  const std::string text = tables->text.empty() ? "" : PackContent(tables->text, base_tables->text);
  AppendVarint(text.size(), packed);
  packed += text;
  packed += way.Take();
  const absl::StatusOr<std::string> again = UnpackTables(packed, base);
  if (!again.ok() || *again != content) return std::nullopt;
  return packed;
}

absl::StatusOr<std::string> UnpackTables(absl::string_view packed, absl::string_view base) {
  if (packed.empty() || packed.front() != kForm) {
    return absl::DataLossError("what is packed is of no form that this program knows");
  }
  packed.remove_prefix(1);
  uint64_t checksum = 0;
  uint64_t size = 0;
  uint64_t text_size = 0;
  const bool is_head = TakeVarint(packed, checksum) && TakeVarint(packed, size) &&
                       TakeVarint(packed, text_size) && text_size <= packed.size();
  if (!is_head || size > kLargestTables) return Damaged();
  NumberReader way(packed.substr(text_size));
  TableLayout base_layout;
  TableLayout layout;
  CodeLayout(way, base_layout, {});
  CodeLayout(way, layout, base_layout);
  if (way.failed() || !IsLayout(layout, size)) return Damaged();
  std::optional<ContentTables> base_tables = TakeApart(base, base_layout);
  if (!base_tables.has_value()) return absl::DataLossError("it was packed against another base");
  ContentTables tables;
  TableCoder<NumberReader>(way, TablesOf(layout, tables), TablesOf(base_layout, *base_tables))
      .Code();
  if (way.failed()) return Damaged();
  if (text_size > 0) {
    absl::StatusOr<std::string> text =
        UnpackContent(packed.substr(0, text_size), base_tables->text);
    if (!text.ok()) return text.status();
    tables.text = *std::move(text);
  }
  std::optional<std::string> content = PutTogether(tables, layout, size);
  if (!content.has_value() || ChecksumOf(*content) != checksum) return Damaged();
  return *std::move(content);
}

}  // namespace gprofhub::store
