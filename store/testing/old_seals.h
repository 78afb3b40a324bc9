// Packed points as programs before schema version 25 wrote them, and their expected form after the
// migration.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "store/records/records.h"
#include "store/store.h"

namespace gprofhub::store {

// Statements that add two seals of one line, of two buckets. `hex` is the engine's prefix of binary
// literals.
inline std::string OldSeals(absl::string_view hex) {
  std::string sql =
      "INSERT INTO series_line (project, branch, label) VALUES ('p', 'main', '//a:b'); ";
  int payload = 0x30;
  for (const int bucket : {0, 1}) {
    for (const int seal : {1, 2}) {
      absl::StrAppend(&sql,
                      "INSERT INTO sealed_points "
                      "(line_id, bucket, seal, first_run_id, last_run_id, payload) "
                      "SELECT id, ",
                      bucket, ", ", seal, ", ", 10 * seal, ", ", 10 * seal + 9, ", ", hex,
                      absl::Hex(++payload), "' FROM series_line; ");
    }
  }
  return sql;
}

// Decodes the payloads "1" to "4".
inline absl::StatusOr<PackedPoints> SplitOldSeal(absl::string_view payload) {
  return PackedPoints{absl::StrCat("runs of ", payload),
                      {{7, std::string(payload)}, {8, absl::StrCat(payload, payload)}}};
}

inline void ExpectOldSealsSplit(const Store& store) {
  const auto read = [&store](uint32_t bucket) {
    std::vector<std::string> texts;
    const auto lines = store.reading.ReadPoints({"p", {"main"}, "", bucket, 1, 1000});
    EXPECT_TRUE(lines.ok() && lines->size() == 1) << lines.status();
    if (!lines.ok() || lines->size() != 1) return texts;
    for (const PackedPoints& points : lines->front().sealed) {
      std::string& text = texts.emplace_back(points.runs);
      for (const FunctionPoints& function : points.functions) {
        absl::StrAppend(&text, " ", function.function_hash, "=", function.payload);
      }
    }
    return texts;
  };
  EXPECT_THAT(read(0), testing::ElementsAre("runs of 2 7=2 8=22", "runs of 1 7=1 8=11"));
  EXPECT_THAT(read(1), testing::ElementsAre("runs of 2 7=4 8=44", "runs of 1 7=3 8=33"));
  EXPECT_THAT(read(2), testing::ElementsAre("runs of 2", "runs of 1"));
}

}  // namespace gprofhub::store
