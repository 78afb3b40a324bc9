#include "profile/profile_merge.h"

#include <iterator>
#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"

namespace gprofhub {
namespace {

bool AddChecked(uint64_t& sum, uint64_t part) { return !__builtin_add_overflow(sum, part, &sum); }

std::string Describe(const Histogram& histogram) {
  return absl::StrFormat("[%#x, %#x) with %d bins at %d per %s", histogram.low_pc,
                         histogram.high_pc, histogram.bins.size(), histogram.rate,
                         absl::CHexEscape(histogram.dimension));
}

bool SameShape(const Histogram& a, const Histogram& b) {
  return a.low_pc == b.low_pc && a.high_pc == b.high_pc && a.bins.size() == b.bins.size();
}

bool SameUnit(const Histogram& a, const Histogram& b) {
  return a.rate == b.rate && a.dimension == b.dimension && a.abbreviation == b.abbreviation;
}

}  // namespace

absl::Status ProfileMerger::AddHistogram(const Histogram& part) {
  // All histograms of a profile share a rate and dimension: a function's
  // samples are one number.
  if (!histograms_.empty() && !SameUnit(histograms_.begin()->second, part)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "histogram %s differs in rate or dimension from histogram %s: these profiles were sampled "
        "in different ways; analyse them separately",
        Describe(part), Describe(histograms_.begin()->second)));
  }
  auto next = histograms_.lower_bound(part.low_pc);
  if (next != histograms_.end() && SameShape(next->second, part)) {
    for (size_t i = 0; i < part.bins.size(); ++i) {
      if (!AddChecked(next->second.bins[i], part.bins[i])) {
        return absl::OutOfRangeError(absl::StrFormat(
            "the sum of bin %d of histogram %s exceeds 64 bits", i, Describe(part)));
      }
    }
    return absl::OkStatus();
  }
  const Histogram* overlapping = nullptr;
  if (next != histograms_.end() && next->first < part.high_pc) overlapping = &next->second;
  if (next != histograms_.begin() && std::prev(next)->second.high_pc > part.low_pc) {
    overlapping = &std::prev(next)->second;
  }
  if (overlapping != nullptr) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "histogram %s overlaps histogram %s: these profiles are of different images; analyse them "
        "separately",
        Describe(part), Describe(*overlapping)));
  }
  histograms_.emplace_hint(next, part.low_pc, part);
  return absl::OkStatus();
}

absl::Status ProfileMerger::Add(const RawProfile& part) {
  for (const Histogram& histogram : part.histograms) {
    if (absl::Status status = AddHistogram(histogram); !status.ok()) return status;
  }
  for (const RawArc& arc : part.arcs) {
    auto [row, added] = arc_rows_.try_emplace({arc.from_pc, arc.self_pc}, sum_.arcs.size());
    if (added) {
      sum_.arcs.push_back(arc);
    } else if (!AddChecked(sum_.arcs[row->second].count, arc.count)) {
      return absl::OutOfRangeError(
          absl::StrFormat("the sum of arc %#x -> %#x exceeds 64 bits", arc.from_pc, arc.self_pc));
    }
  }
  for (const BasicBlock& block : part.blocks) {
    auto [row, added] = block_rows_.try_emplace(block.pc, sum_.blocks.size());
    if (added) {
      sum_.blocks.push_back(block);
    } else if (!AddChecked(sum_.blocks[row->second].count, block.count)) {
      return absl::OutOfRangeError(
          absl::StrFormat("the sum of basic block %#x exceeds 64 bits", block.pc));
    }
  }
  return absl::OkStatus();
}

RawProfile ProfileMerger::Take() {
  for (auto& [low_pc, histogram] : histograms_) sum_.histograms.push_back(std::move(histogram));
  RawProfile sum = std::move(sum_);
  *this = ProfileMerger();
  return sum;
}

absl::Status MergeInto(RawProfile& sum, const RawProfile& part) {
  ProfileMerger merger;
  if (absl::Status status = merger.Add(sum); !status.ok()) return status;
  if (absl::Status status = merger.Add(part); !status.ok()) return status;
  sum = merger.Take();
  return absl::OkStatus();
}

}  // namespace gprofhub
