#include "reporter/queries/trends/function_sums.h"

#include <utility>

#include "profile/codec/series.h"

namespace gprofhub::reporter {

FunctionSums::FunctionSums(const absl::flat_hash_set<uint64_t>& hashes, const WantedRuns& wanted,
                           const base::Decoding& decoding, std::vector<FunctionAtRun>& sums)
    : hashes_(hashes),
      hash_list_(hashes.begin(), hashes.end()),
      wanted_(wanted),
      decoding_(decoding),
      memory_(decoding),
      sums_(sums) {}

absl::Status FunctionSums::Add(const store::LinePoints& line) {
  std::vector<bool> told(wanted_.size(), false);
  absl::Status status = AddOpen(line.open, told);
  for (const store::PackedPoints& sealed : line.sealed) {
    if (!status.ok()) return status;
    status = AddSealed(sealed, told);
  }
  return status;
}

absl::Status FunctionSums::AddOpen(const std::vector<store::RunPoints>& open,
                                   std::vector<bool>& told) {
  WantedRuns::Finder finder(wanted_);
  for (const store::RunPoints& points : open) {
    const size_t index = finder.Find(points.run_id);
    if (index == WantedRuns::kNone) continue;
    const absl::StatusOr<profile::SeriesSegment> segment =
        profile::DecodeSeriesOf(points.payload, hash_list_);
    if (!segment.ok()) return segment.status();
    told[index] = true;
    FunctionAtRun& sum = sums_[wanted_.place(index)];
    sum.analysed = true;
    for (const profile::SeriesPoint& point : segment->points) {
      AddPoint(segment->sample_rate, segment->repetitions, point, sum);
    }
  }
  return absl::OkStatus();
}

absl::Status FunctionSums::AddSealed(const store::PackedPoints& sealed, std::vector<bool>& told) {
  const absl::StatusOr<const SealedRuns*> found = RunsOf(sealed.runs);
  if (!found.ok()) return found.status();
  const SealedRuns& of = **found;
  for (const store::FunctionPoints& function : sealed.functions) {
    const auto hash = static_cast<uint64_t>(function.function_hash);
    if (!hashes_.contains(hash)) continue;
    const auto decoded = decoding_.Take(kDecodedPerRun * of.runs.size());
    if (!decoded.ok()) return decoded.status();
    const absl::StatusOr<std::vector<profile::ChunkPoint>> points =
        profile::DecodeFunctionColumns(hash, function.payload, of.runs.size());
    if (!points.ok()) return points.status();
    for (const auto& [run, point] : *points) {
      const size_t index = of.wanted[run];
      if (index == WantedRuns::kNone || told[index]) continue;
      AddPoint(of.runs[run].sample_rate, of.runs[run].repetitions, point,
               sums_[wanted_.place(index)]);
    }
  }
  for (const size_t index : of.wanted) {
    if (index == WantedRuns::kNone) continue;
    told[index] = true;
    sums_[wanted_.place(index)].analysed = true;
  }
  return absl::OkStatus();
}

absl::StatusOr<const FunctionSums::SealedRuns*> FunctionSums::RunsOf(const std::string& bytes) {
  const auto known = runs_.find(bytes);
  if (known != runs_.end()) return &known->second;
  absl::StatusOr<std::vector<profile::ChunkRun>> runs = profile::DecodeChunkRuns(bytes);
  if (!runs.ok()) return runs.status();
  bytes_ += bytes.size() + runs->size() * (sizeof(profile::ChunkRun) + sizeof(size_t));
  if (absl::Status taken = memory_.GrowTo(bytes_); !taken.ok()) return taken;
  SealedRuns sealed = {*std::move(runs), {}};
  WantedRuns::Finder finder(wanted_);
  for (const profile::ChunkRun& run : sealed.runs) {
    sealed.wanted.push_back(finder.Find(run.run_id));
  }
  return &runs_.emplace(bytes, std::move(sealed)).first->second;
}

}  // namespace gprofhub::reporter
