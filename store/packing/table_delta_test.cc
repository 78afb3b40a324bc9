#include "store/packing/table_delta.h"

#include <gtest/gtest.h>

#include <cstring>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"

namespace gprofhub::store {
namespace {

using base::FieldKind;
using base::TableField;
using base::TableLayout;

template <typename Number>
void Append(Number number, std::string& bytes) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

template <typename Number>
std::string BytesOf(const std::vector<Number>& numbers) {
  std::string bytes;
  for (const Number number : numbers) Append(number, bytes);
  return bytes;
}

size_t PackedSize(const std::string& content, const TableLayout& layout, const std::string& base,
                  const TableLayout& base_layout) {
  const std::optional<std::string> packed = PackTables(content, layout, base, base_layout);
  if (!packed.has_value()) {
    ADD_FAILURE() << "not packed";
    return 0;
  }
  const absl::StatusOr<std::string> again = UnpackTables(*packed, base);
  EXPECT_TRUE(again.ok()) << again.status();
  EXPECT_TRUE(again.ok() && *again == content);
  return packed->size();
}

// Records of an address and a count, as of a program's functions.
struct Functions {
  std::vector<uint64_t> sizes;
  std::vector<uint64_t> counts;

  explicit Functions(size_t number) {
    std::mt19937 random(1);
    for (size_t i = 0; i < number; ++i) {
      sizes.push_back(16 + random() % 1000);
      counts.push_back(random() % 100'000);
    }
  }
  std::string Bytes() const {
    std::string bytes;
    uint64_t address = 0x401000;
    for (size_t i = 0; i < sizes.size(); ++i) {
      Append(address, bytes);
      Append(counts[i], bytes);
      address += sizes[i];
    }
    return bytes;
  }
  TableLayout Layout(FieldKind kind = FieldKind::kStep) const {
    return {{sizes.size(), {{8, kind}, {8}}, false, 1, 0}};
  }
};

TEST(TableDeltaTest, AFunctionThatGrewTakesTwoBytes) {
  const Functions before(1000);
  Functions after = before;
  const size_t same = PackedSize(before.Bytes(), before.Layout(), before.Bytes(), before.Layout());
  EXPECT_LT(same, 40u);
  after.sizes[300] += 16;
  for (const FieldKind kind : {FieldKind::kStep, FieldKind::kPlace}) {
    EXPECT_LE(PackedSize(after.Bytes(), after.Layout(kind), before.Bytes(), before.Layout(kind)),
              same + 10);
  }
}

TEST(TableDeltaTest, AFunctionThatCameMovesNoOther) {
  const Functions before(1000);
  Functions after = before;
  after.sizes.insert(after.sizes.begin() + 400, 80);
  after.counts.insert(after.counts.begin() + 400, 7);
  after.sizes.erase(after.sizes.begin() + 700);
  after.counts.erase(after.counts.begin() + 700);
  for (const FieldKind kind : {FieldKind::kStep, FieldKind::kPlace}) {
    EXPECT_LT(PackedSize(after.Bytes(), after.Layout(kind), before.Bytes(), before.Layout(kind)),
              80u);
  }
}

TEST(TableDeltaTest, ZerosBetweenRowsTakeNoRoom) {
  std::string bins(100'000, '\0');
  for (size_t at = 10; at < bins.size(); at += 5'000) bins[at] = 1;
  const TableLayout layout = {{bins.size() / 2, {{2}}, true, 0, 0}};
  EXPECT_LT(PackedSize(bins, layout, bins, layout), 80u);
  const std::string none(1'000, '\0');
  EXPECT_LT(PackedSize(none, {{500, {{2}}, true, 0, 0}}, bins, layout), 40u);
}

TEST(TableDeltaTest, DoublesComeBackToTheBit) {
  const std::vector<double> odd = {0.0,
                                   -0.0,
                                   1.0 / 3,
                                   -2.0 / 7,
                                   0.1,
                                   1e300,
                                   9007199254740993.0,
                                   std::numeric_limits<double>::infinity(),
                                   std::numeric_limits<double>::quiet_NaN(),
                                   std::numeric_limits<double>::denorm_min(),
                                   12345};
  const std::string bytes = BytesOf(odd);
  const TableLayout layout = {{odd.size(), {{8, FieldKind::kQuotient}}, false, 1, 0}};
  PackedSize(bytes, layout, bytes, layout);
  PackedSize(bytes, layout, "", {});
}

TEST(TableDeltaTest, SharesAreForetoldFromWhatTheyAreSharesOf) {
  std::mt19937 random(1);
  std::vector<double> whole(200);
  for (double& samples : whole) samples = static_cast<double>(random() % 1000);
  std::vector<uint32_t> row(600);
  std::vector<double> shares(600);
  for (size_t i = 0; i < row.size(); ++i) {
    row[i] = random() % 200;
    shares[i] = whole[row[i]] / 3;
  }
  const std::string wholes = BytesOf(whole) + BytesOf(row);
  const TableLayout without = {{200, {{8, FieldKind::kQuotient}}, false, 1, 0},
                               {600, {{4, FieldKind::kRow, 9}}, false, 2, 0}};
  TableLayout with = without;
  with.push_back({600, {{8, FieldKind::kQuotient, 1, 2}}, false, 3, 0});
  EXPECT_LT(PackedSize(wholes + BytesOf(shares), with, "", {}),
            PackedSize(wholes, without, "", {}) + 25);
}

TEST(TableDeltaTest, WhatIsInNoTableIsComparedAsBytes) {
  std::string text;
  for (int i = 0; i < 1000; ++i) absl::StrAppend(&text, "name of function ", i * i * 31, "\n");
  const TableLayout layout = {{text.size(), {}, false, 0, 0}};
  EXPECT_LT(PackedSize(text, layout, text, layout), 60u);
}

TEST(TableDeltaTest, NumbersOfSevenBitsMustBeInTheFewestBytes) {
  const TableLayout layout = {{2, {{0}}, false, 1, 0}};
  const std::string longer("\x81\x00\x05", 3);
  EXPECT_FALSE(PackTables(longer, layout, longer, layout).has_value());
  PackedSize("\x81\x01\x05", layout, "\x05\x05", layout);
}

TEST(TableDeltaTest, LayoutsOfOtherContentsAreRefused) {
  const std::string content = "0123456789";
  const TableLayout good = {{10, {}, false, 0, 0}};
  const std::vector<TableLayout> bad = {
      {},
      {{9, {}, false, 0, 0}},
      {{11, {}, false, 0, 0}},
      {{2, {{8}}, false, 1, 0}},
      {{UINT64_MAX, {{2}}, false, 1, 0}},
      {{10, {{0}}, true, 1, 0}},
      {{5, {{2, FieldKind::kQuotient}}, false, 1, 0}},
      {{1, {{9}}, false, 1, 0}, {1, {}, false, 0, 0}},
  };
  for (const TableLayout& layout : bad) {
    EXPECT_FALSE(PackTables(content, layout, content, good).has_value());
    EXPECT_FALSE(PackTables(content, good, content, layout).has_value());
  }
}

TEST(TableDeltaTest, EmptyContentsAndBases) {
  const Functions functions(10);
  PackedSize("", {}, "", {});
  PackedSize("", {}, functions.Bytes(), functions.Layout());
  PackedSize(functions.Bytes(), functions.Layout(), "", {});
}

TEST(TableDeltaTest, AnotherBaseOrDamageIsTold) {
  const Functions before(100);
  Functions after = before;
  after.counts[5] = 3;
  const std::optional<std::string> packed =
      PackTables(after.Bytes(), after.Layout(), before.Bytes(), before.Layout());
  ASSERT_TRUE(packed.has_value());
  Functions other = before;
  other.counts[50] ^= 1;
  for (const std::string& base : {other.Bytes(), Functions(99).Bytes(), std::string()}) {
    EXPECT_TRUE(absl::IsDataLoss(UnpackTables(*packed, base).status()));
  }
  for (size_t i = 0; i < packed->size(); ++i) {
    std::string damaged = *packed;
    damaged[i] ^= 4;
    const absl::StatusOr<std::string> read = UnpackTables(damaged, before.Bytes());
    EXPECT_TRUE(absl::IsDataLoss(read.status()) || (read.ok() && *read == after.Bytes())) << i;
    EXPECT_TRUE(absl::IsDataLoss(UnpackTables(packed->substr(0, i), before.Bytes()).status()) ||
                i + 4 > packed->size())
        << i;
  }
}

}  // namespace
}  // namespace gprofhub::store
