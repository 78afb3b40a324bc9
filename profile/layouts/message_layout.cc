#include "profile/layouts/message_layout.h"

#include <cstddef>
#include <cstdint>
#include <optional>

#include "absl/types/span.h"
#include "profile/codec/wire.h"
#include "proto/computed.pb.h"
#include "proto/symbols.pb.h"

namespace gprofhub::profile {
namespace {

using base::FieldKind;
using base::TableField;
using base::TableLayout;
using base::TablePart;
using v1::ArcCosts;
using v1::ComputedProfile;
using v1::FunctionColumns;
using v1::FunctionCosts;
using v1::InlinedColumns;
using v1::InlinedCosts;
using v1::LineColumns;
using v1::SymbolBundle;

// A column of a table of a message.
struct Column {
  uint32_t table;
  uint32_t column;
  TableField field;
};

constexpr uint32_t NameOf(uint32_t table, uint32_t column) { return table * 256 + column; }

constexpr uint32_t kCosts = ComputedProfile::kFunctionsFieldNumber;
constexpr uint32_t kArcs = ComputedProfile::kArcsFieldNumber;
constexpr uint32_t kInlined = ComputedProfile::kInlinedFieldNumber;
constexpr uint32_t kCallee = NameOf(kArcs, ArcCosts::kCalleeFieldNumber);

constexpr Column kOfResult[] = {
    {kCosts, FunctionCosts::kNameFieldNumber, {0, FieldKind::kStep}},
    {kCosts, FunctionCosts::kFileFieldNumber, {0, FieldKind::kPlace}},
    {kCosts, FunctionCosts::kLineFieldNumber, {0, FieldKind::kStep}},
    {kCosts, FunctionCosts::kImageFieldNumber, {0, FieldKind::kPlace}},
    {kCosts, FunctionCosts::kSizeFieldNumber, {0}},
    {kCosts, FunctionCosts::kFlagsFieldNumber, {0}},
    {kCosts, FunctionCosts::kCallsFieldNumber, {0}},
    {kCosts, FunctionCosts::kSelfCallsFieldNumber, {0}},
    {kCosts, FunctionCosts::kSelfSamplesFieldNumber, {8, FieldKind::kQuotient}},
    {kCosts, FunctionCosts::kChildSamplesFieldNumber, {8, FieldKind::kQuotient}},
    {kCosts, FunctionCosts::kCycleFieldNumber, {0}},
    {kCosts, FunctionCosts::kCodeFieldNumber, {4}},
    {kCosts, FunctionCosts::kToolchainFieldNumber, {0, FieldKind::kPlace}},
    {kArcs, ArcCosts::kCallerFieldNumber, {0, FieldKind::kRow, kCosts}},
    {kArcs, ArcCosts::kCalleeFieldNumber, {0, FieldKind::kRow, kCosts}},
    {kArcs, ArcCosts::kSiteFileFieldNumber, {0, FieldKind::kPlace}},
    {kArcs, ArcCosts::kSiteLineFieldNumber, {0, FieldKind::kStep}},
    {kArcs, ArcCosts::kSiteOffsetFieldNumber, {0}},
    {kArcs, ArcCosts::kCountFieldNumber, {0}},
    {kArcs,
     ArcCosts::kSelfSamplesFieldNumber,
     {8, FieldKind::kQuotient, NameOf(kCosts, FunctionCosts::kSelfSamplesFieldNumber), kCallee}},
    {kArcs,
     ArcCosts::kChildSamplesFieldNumber,
     {8, FieldKind::kQuotient, NameOf(kCosts, FunctionCosts::kChildSamplesFieldNumber), kCallee}},
    {kInlined, InlinedCosts::kFunctionFieldNumber, {0, FieldKind::kRow, kCosts}},
    {kInlined, InlinedCosts::kNameFieldNumber, {4}},
};

constexpr uint32_t kFunctions = SymbolBundle::kFunctionsFieldNumber;
constexpr uint32_t kWeak = SymbolBundle::kWeakLabelsFieldNumber;
constexpr uint32_t kLines = SymbolBundle::kLinesFieldNumber;
constexpr uint32_t kCallLines = SymbolBundle::kCallLinesFieldNumber;
constexpr uint32_t kInlinedInto = SymbolBundle::kInlinedFieldNumber;

constexpr Column kOfBundle[] = {
    {kFunctions, FunctionColumns::kAddressDeltaFieldNumber, {0}},
    {kFunctions, FunctionColumns::kSizeFieldNumber, {0}},
    {kFunctions, FunctionColumns::kNameFieldNumber, {0, FieldKind::kStep}},
    {kFunctions, FunctionColumns::kFileFieldNumber, {0, FieldKind::kPlace}},
    {kFunctions, FunctionColumns::kLineFieldNumber, {0, FieldKind::kStep}},
    {kFunctions, FunctionColumns::kFlagsFieldNumber, {0}},
    {kFunctions, FunctionColumns::kCodeFieldNumber, {4}},
    {kFunctions, FunctionColumns::kToolchainFieldNumber, {0, FieldKind::kPlace}},
    {kWeak, FunctionColumns::kAddressDeltaFieldNumber, {0}},
    {kWeak, FunctionColumns::kSizeFieldNumber, {0}},
    {kWeak, FunctionColumns::kNameFieldNumber, {0, FieldKind::kStep}},
    {kWeak, FunctionColumns::kFlagsFieldNumber, {0}},
    {kLines, LineColumns::kAddressDeltaFieldNumber, {0}},
    {kLines, LineColumns::kFileFieldNumber, {0, FieldKind::kPlace}},
    {kLines, LineColumns::kLineFieldNumber, {0, FieldKind::kStep}},
    {kCallLines, LineColumns::kAddressDeltaFieldNumber, {0}},
    {kCallLines, LineColumns::kFileFieldNumber, {0, FieldKind::kPlace}},
    {kCallLines, LineColumns::kLineFieldNumber, {0, FieldKind::kStep}},
    {kInlinedInto, InlinedColumns::kAddressDeltaFieldNumber, {0}},
    {kInlinedInto, InlinedColumns::kNameFieldNumber, {4}},
};

bool IsTable(absl::Span<const Column> columns, uint32_t field) {
  for (const Column& column : columns) {
    if (column.table == field) return true;
  }
  return false;
}

const Column* FindColumn(absl::Span<const Column> columns, uint32_t table, uint32_t column) {
  for (const Column& known : columns) {
    if (known.table == table && known.column == column) return &known;
  }
  return nullptr;
}

// How many numbers these are; nullopt if they are not what their field says.
std::optional<uint64_t> RowsIn(absl::string_view bytes, const TableField& field) {
  if (field.bytes > 0) {
    if (bytes.size() % field.bytes != 0) return std::nullopt;
    return bytes.size() / field.bytes;
  }
  uint64_t rows = 0;
  while (!bytes.empty()) {
    const size_t before = bytes.size();
    const char* const first = bytes.data();
    uint64_t value = 0;
    if (!TakeVarint(bytes, value)) return std::nullopt;
    const size_t size = before - bytes.size();
    if (size > 1 && first[size - 1] == '\0') return std::nullopt;  // not in the fewest bytes
    ++rows;
  }
  return rows;
}

class Describer {
 public:
  explicit Describer(absl::Span<const Column> columns) : columns_(columns) {}

  TableLayout Describe(absl::string_view content) {
    WireReader reader(content);
    WireField field;
    const char* described = content.data();
    while (reader.Next(field)) {
      if (field.type != WireType::kDelimited || !IsTable(columns_, field.number)) continue;
      AddTable(field, described);
    }
    if (reader.failed()) return {};
    AddText(described, content.data() + content.size());
    return std::move(layout_);
  }

 private:
  void AddTable(const WireField& table, const char*& described) {
    WireReader reader(table.bytes);
    WireField field;
    while (reader.Next(field)) {
      const Column* const column = FindColumn(columns_, table.number, field.number);
      if (field.type != WireType::kDelimited || column == nullptr || field.bytes.empty()) continue;
      const std::optional<uint64_t> rows = RowsIn(field.bytes, column->field);
      if (!rows.has_value()) continue;
      AddText(described, field.bytes.data());
      layout_.push_back(
          {*rows, {column->field}, false, NameOf(table.number, field.number), table.number});
      described = field.bytes.data() + field.bytes.size();
    }
  }

  void AddText(const char* from, const char* to) {
    if (from != to) layout_.push_back({static_cast<uint64_t>(to - from), {}, false, 0, 0});
  }

  absl::Span<const Column> columns_;
  TableLayout layout_;
};

}  // namespace

base::TableLayout DescribeMessage(base::ContentKind kind, absl::string_view content) {
  if (content.empty()) return {};
  return Describer(kind == base::ContentKind::kResult ? absl::MakeConstSpan(kOfResult)
                                                      : absl::MakeConstSpan(kOfBundle))
      .Describe(content);
}

}  // namespace gprofhub::profile
