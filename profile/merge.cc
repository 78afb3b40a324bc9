#include "profile/merge.h"

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_format.h"
#include "base/status_macros.h"

namespace gprofhub::profile {

namespace {

std::string Describe(const Histogram& histogram) {
  return absl::StrFormat("[%#x, %#x) with %d bins at %d per %s", histogram.low_pc,
                         histogram.high_pc, histogram.bins.size(), histogram.rate,
                         absl::CHexEscape(histogram.dimension));
}

bool SameShape(const Histogram& a, const Histogram& b) {
  return a.low_pc == b.low_pc && a.high_pc == b.high_pc && a.bins.size() == b.bins.size();
}

// False if a bin of the sum exceeds 64 bits.
bool AddBins(const Histogram& part, Histogram& sum) {
  bool overflows = false;
  for (size_t i = 0; i < sum.bins.size(); ++i) {
    sum.bins[i] += part.bins[i];
    overflows |= sum.bins[i] < part.bins[i];
  }
  return !overflows;
}

bool SameUnit(const Histogram& a, const Histogram& b) {
  return a.rate == b.rate && a.dimension == b.dimension && a.abbreviation == b.abbreviation;
}

}  // namespace

// All histograms of a profile share a rate and dimension: a function's samples are one
// number.
absl::Status ProfileMerger::AgreeOnUnit(Histogram& part) {
  if (histograms_.empty()) return absl::OkStatus();
  const Histogram& known = histograms_.begin()->second;
  if (part.rate_is_assumed) {
    part.rate = known.rate;
    part.rate_is_assumed = known.rate_is_assumed;
  } else if (known.rate_is_assumed) {
    for (auto& [low_pc, histogram] : histograms_) {
      histogram.rate = part.rate;
      histogram.rate_is_assumed = false;
    }
  }
  if (SameUnit(known, part)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrFormat(
      "histogram %s differs in rate or dimension from histogram %s: these profiles were "
      "sampled in different ways; analyse them separately",
      Describe(part), Describe(known)));
}

absl::Status ProfileMerger::AddHistogram(Histogram&& part) {
  RETURN_IF_ERROR(AgreeOnUnit(part));
  const auto known = FindOverlapping(histograms_, part.low_pc, part.high_pc);
  if (known == histograms_.end()) {
    const uint64_t low_pc = part.low_pc;
    histograms_.emplace(low_pc, std::move(part));
    return absl::OkStatus();
  }
  if (!SameShape(known->second, part)) {
    return absl::InvalidArgumentError(absl::StrFormat(
        "histogram %s overlaps histogram %s: these profiles are of different images; analyse "
        "them separately",
        Describe(part), Describe(known->second)));
  }
  if (AddBins(part, known->second)) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrFormat("the sum of the bins of histogram %s exceeds 64 bits", Describe(part)));
}

void ProfileMerger::BeginArcs(size_t arcs) {
  if (arcs_.empty()) arcs_.Reserve(arcs);
  arcs_.Begin();
}

absl::Status ProfileMerger::AddArcs(absl::Span<const RawArc> arcs) {
  const std::optional<RawArc> arc = arcs_.Add(arcs);
  if (!arc) return absl::OkStatus();
  return absl::OutOfRangeError(
      absl::StrFormat("the sum of arc %#x -> %#x exceeds 64 bits", arc->from_pc, arc->self_pc));
}

std::vector<uint32_t> ProfileMerger::AddOthers(const std::vector<OtherObject>& others) {
  std::vector<uint32_t> places;
  for (const OtherObject& other : others) {
    const auto [place, is_new] =
        other_places_.try_emplace(other.name, static_cast<uint32_t>(others_.size()) + 1);
    if (is_new) others_.push_back({other.name, 0});
    others_[place->second - 1].samples += other.samples;
    places.push_back(place->second);
  }
  return places;
}

absl::Status ProfileMerger::Add(RawProfile&& part) {
  for (Histogram& histogram : part.histograms) {
    RETURN_IF_ERROR(AddHistogram(std::move(histogram)));
  }
  // Forests are concatenated.
  const int64_t moved = static_cast<int64_t>(stacks_.size());
  const std::vector<uint32_t> others = AddOthers(part.others);
  for (StackFrame frame : part.stacks) {
    if (frame.parent >= 0) frame.parent += moved;
    if (frame.other > 0) frame.other = others[frame.other - 1];
    stacks_.push_back(frame);
  }
  has_spontaneous_ |= part.has_spontaneous;
  BeginArcs(part.arcs.size());
  RETURN_IF_ERROR(AddArcs(part.arcs));
  blocks_.Begin();
  if (const auto block = blocks_.Add(part.blocks)) {
    return absl::OutOfRangeError(
        absl::StrFormat("the sum of basic block %#x exceeds 64 bits", block->pc));
  }
  return absl::OkStatus();
}

uint64_t ProfileMerger::MemoryUsed() const {
  uint64_t memory =
      arcs_.MemoryUsed() + blocks_.MemoryUsed() + stacks_.capacity() * sizeof(StackFrame);
  for (const OtherObject& other : others_) {
    memory += 2 * (sizeof(OtherObject) + other.name.size());
  }
  for (const auto& [low_pc, histogram] : histograms_) {
    memory += sizeof(Histogram) + histogram.bins.capacity() * sizeof(uint64_t);
  }
  return memory;
}

RawProfile ProfileMerger::Take() {
  RawProfile sum;
  for (auto& [low_pc, histogram] : histograms_) sum.histograms.push_back(std::move(histogram));
  histograms_.clear();
  sum.arcs = arcs_.Take();
  sum.blocks = blocks_.Take();
  sum.stacks = std::exchange(stacks_, {});
  sum.others = std::exchange(others_, {});
  other_places_.clear();
  sum.has_spontaneous = std::exchange(has_spontaneous_, false);
  return sum;
}

absl::Status MergeInto(RawProfile& sum, const RawProfile& part) {
  ProfileMerger merger;
  RETURN_IF_ERROR(merger.Add(RawProfile(sum)));
  RETURN_IF_ERROR(merger.Add(RawProfile(part)));
  sum = merger.Take();
  return absl::OkStatus();
}

}  // namespace gprofhub::profile
