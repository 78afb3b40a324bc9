// Compact columns of similar numbers. The shorter of two forms is used:
//
//   runs    (number, repetitions) pairs: counts that repeat from run to run
//   frames  64 numbers at a time, each less the frame's smallest, in as many bits as the largest
//           of them needs: samples, which scatter about a level
//
// Frame-of-reference coding: J. Goldstein, R. Ramakrishnan, U. Shaft, "Compressing Relations and
// Indexes" (ICDE 1998). Time-series databases write floating-point numbers as XORs of neighbours
// (T. Pelkonen et al., "Gorilla", VLDB 2015). Ours are integers, for which a frame is shorter and
// faster.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace gprofhub::profile {

// Appends the numbers, without their count, which the reader must know.
void AppendPacked(absl::Span<const uint64_t> numbers, std::string& out);

// Takes `count` numbers from the front of `bytes` into `numbers`. False if the bytes are not a
// valid column; then `numbers` is unspecified. Allocates for `count`, which the caller must bound.
bool TakePacked(absl::string_view& bytes, size_t count, std::vector<uint64_t>& numbers);

}  // namespace gprofhub::profile
