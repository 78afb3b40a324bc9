#include "analyzer/worker/target_images.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "analyzer/worker/compute_profile.h"
#include "analyzer/worker/target_profile.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "profile/codec/computed.h"
#include "profile/codec/message.h"
#include "profile/codec/series.h"
#include "profile/codec/symbol_bundle.h"
#include "profile/computed.h"
#include "profile/merge.h"

namespace gprofhub::analyzer {

namespace {

absl::Status AboutProfile(const absl::Status& status, const store::TargetData::Profile& profile) {
  return base::WithContext(
      status, absl::StrCat("profile ", profile.profile.process, " (run ",
                           profile.execution.run_number, ", shard ", profile.execution.shard, ")"));
}

absl::StatusOr<profile::SymbolTable> ReadSymbols(const ReadBlob& read,
                                                 const store::BlobName& bundle,
                                                 const base::Decoding& decoding) {
  ASSIGN_OR_RETURN(const std::string bytes, read(bundle));
  const base::Reservation of_bytes = decoding.Adopt(bytes.size());
  return profile::DecodeSymbolBundle(bytes, {.decoding = decoding});
}

// The symbols of all images that `data` names.
absl::StatusOr<std::map<std::string, profile::SymbolTable>> ReadAllSymbols(
    const ReadBlob& read, const store::TargetData& data, const std::function<bool()>& stopping,
    const base::Decoding& decoding) {
  std::map<std::string, profile::SymbolTable> symbols;
  for (const store::TargetData::Profile& profile : data.profiles) {
    if (stopping()) return absl::CancelledError("the worker is stopping");
    const std::string& build_id = profile.profile.build_id;
    if (symbols.contains(build_id)) continue;
    absl::StatusOr<profile::SymbolTable> table = ReadSymbols(read, profile.bundle, decoding);
    if (!table.ok()) return base::WithContext(table.status(), absl::StrCat("image ", build_id));
    symbols[build_id] = *std::move(table);
  }
  return symbols;
}

// Calls `visit(profile, bytes)` for each profile's blob.
template <typename Visit>
absl::Status ForEachProfile(const ReadBlob& read, const store::TargetData& data,
                            const std::function<bool()>& stopping, const base::Decoding& decoding,
                            Visit visit) {
  for (const store::TargetData::Profile& profile : data.profiles) {
    if (stopping()) return absl::CancelledError("the worker is stopping");
    const absl::StatusOr<std::string> bytes = read(profile.profile.data);
    const base::Reservation of_bytes = decoding.Adopt(bytes.ok() ? bytes->size() : 0);
    const absl::Status status = bytes.ok() ? visit(profile, *bytes) : bytes.status();
    if (!status.ok()) return AboutProfile(status, profile);
  }
  return absl::OkStatus();
}

// Sums an image's profiles, including those of different sampling rates.
class ImageSum {
 public:
  absl::Status Add(profile::RawProfile part) {
    Way way{"", 0, 0};
    if (!part.histograms.empty()) {
      const profile::Histogram& first = part.histograms.front();
      way = {first.dimension, first.rate, first.bins.size()};
      if (!dimension_.empty() && dimension_ != first.dimension) {
        return absl::InvalidArgumentError(
            absl::StrCat("samples of different dimensions: ", first.dimension, " and ", dimension_,
                         "; record all profiles of a target in one dimension"));
      }
      dimension_ = first.dimension;
      rates_.insert(first.rate);
    }
    return by_way_[way].Add(std::move(part));
  }

  // The present memory of the sum.
  uint64_t MemoryUsed() const {
    uint64_t memory = 0;
    for (const auto& [way, merger] : by_way_) memory += merger.MemoryUsed();
    return memory;
  }

  absl::StatusOr<profile::RawProfile> Take() {
    ASSIGN_OR_RETURN(const uint32_t common, ExactRate(rates_));
    profile::RawProfile sum;
    profile::ProfileMerger calls;
    for (auto& [way, merger] : by_way_) {
      profile::RawProfile part = merger.Take();
      const uint32_t factor = common / std::max(std::get<1>(way), 1u);
      RETURN_IF_ERROR(Multiply(part, factor, common));
      for (profile::Histogram& histogram : part.histograms)
        sum.histograms.push_back(std::move(histogram));
      part.histograms.clear();
      RETURN_IF_ERROR(calls.Add(std::move(part)));
    }
    profile::RawProfile merged = calls.Take();
    merged.histograms = std::move(sum.histograms);
    return merged;
  }

 private:
  // Dimension, rate and bins per histogram.
  using Way = std::tuple<std::string, uint32_t, size_t>;

  static absl::Status Multiply(profile::RawProfile& part, uint64_t factor, uint32_t rate) {
    for (profile::Histogram& histogram : part.histograms) {
      histogram.rate = rate;
      for (uint64_t& bin : histogram.bins) {
        if (__builtin_mul_overflow(bin, factor, &bin)) {
          return absl::OutOfRangeError(
              "a bin exceeds 64 bits after conversion to a common sampling rate");
        }
      }
    }
    for (profile::StackFrame& frame : part.stacks) frame.samples *= factor;
    for (profile::OtherObject& other : part.others) other.samples *= factor;
    return absl::OkStatus();
  }

  std::map<Way, profile::ProfileMerger> by_way_;
  std::string dimension_;
  std::set<uint32_t> rates_;
};

// An image's sum and its memory.
struct BoundedSum {
  explicit BoundedSum(const base::Decoding& decoding) : memory(decoding) {}

  ImageSum sum;
  base::GrowingMemory memory;
};

// Adds the profile to its image's sum.
absl::Status AddWithin(const base::Decoding& decoding, const std::string& bytes,
                       const std::string& process, const profile::SymbolTable& image,
                       const profile::HasProfile& has_profile, BoundedSum& bounded) {
  {
    const base::DecodingScope scope(decoding);
    ASSIGN_OR_RETURN(profile::RawProfile part,
                     profile::ReadImagePart(bytes, process, image, decoding,
                                            /*calls_out=*/nullptr, has_profile));
    RETURN_IF_ERROR(bounded.sum.Add(std::move(part)));
  }
  return bounded.memory.GrowTo(bounded.sum.MemoryUsed());
}

}  // namespace

absl::StatusOr<TargetImages> ReadTargetImages(const ReadBlob& read, const store::TargetData& data,
                                              const std::function<bool()>& stopping,
                                              const base::Decoding& decoding) {
  ASSIGN_OR_RETURN(auto symbols, ReadAllSymbols(read, data, stopping, decoding));
  const auto has_profile = [&symbols](absl::string_view build_id) {
    return symbols.contains(std::string(build_id));
  };
  std::map<std::string, BoundedSum> sums;
  RETURN_IF_ERROR(
      ForEachProfile(read, data, stopping, decoding,
                     [&](const store::TargetData::Profile& profile, const std::string& bytes) {
                       const std::string& build_id = profile.profile.build_id;
                       BoundedSum& sum = sums.try_emplace(build_id, decoding).first->second;
                       return AddWithin(decoding, bytes, profile.profile.process,
                                        symbols.at(build_id), has_profile, sum);
                     }));
  TargetImages images;
  for (auto& [build_id, bounded] : sums) {
    absl::StatusOr<profile::RawProfile> taken = bounded.sum.Take();
    if (!taken.ok()) return base::WithContext(taken.status(), absl::StrCat("image ", build_id));
    images[build_id] = {std::move(symbols.at(build_id)), *std::move(taken)};
  }
  return images;
}

absl::StatusOr<TargetModules> ReadTargetModules(const ReadBlob& read, const store::TargetData& data,
                                                const std::function<bool()>& stopping) {
  ASSIGN_OR_RETURN(auto symbols, ReadAllSymbols(read, data, stopping, /*decoding=*/{}));
  TargetModules modules;
  modules.symbols = std::move(symbols);
  const auto symbols_of = [&](absl::string_view build_id) -> const profile::SymbolTable* {
    const auto found = modules.symbols.find(std::string(build_id));
    return found == modules.symbols.end() ? nullptr : &found->second;
  };
  TargetSum sum;
  // A recording is named once for each of its images.
  std::set<std::tuple<uint32_t, uint32_t, uint32_t, std::string>> added;
  absl::Status status = ForEachProfile(
      read, data, stopping, /*decoding=*/{},
      [&](const store::TargetData::Profile& profile, const std::string& bytes) {
        const store::ProfileRecord& record = profile.profile;
        ASSIGN_OR_RETURN(const std::optional<profile::Recording> recording,
                         profile::ReadIfRecording(bytes, record.process));
        if (!recording.has_value()) {
          const profile::SymbolTable& table = modules.symbols.at(record.build_id);
          absl::StatusOr<profile::RawProfile> part =
              profile::ReadImagePart(bytes, record.process, table);
          return part.ok() ? sum.AddProfile(table, *std::move(part)) : part.status();
        }
        const store::ExecutionRecord& execution = profile.execution;
        if (!added.emplace(execution.run_number, execution.shard, execution.attempt, record.process)
                 .second) {
          return absl::OkStatus();
        }
        return sum.AddRecording(*recording, symbols_of);
      });
  if (!status.ok()) return status;
  modules.profile = sum.Take();
  return modules;
}

absl::StatusOr<TargetStacks> ReadTargetStacks(const ReadBlob& read, const store::TargetData& data,
                                              const std::function<bool()>& stopping) {
  ASSIGN_OR_RETURN(auto symbols, ReadAllSymbols(read, data, stopping, /*decoding=*/{}));
  TargetStacks target;
  target.symbols = std::move(symbols);
  RETURN_IF_ERROR(ForEachProfile(
      read, data, stopping, /*decoding=*/{},
      [&](const store::TargetData::Profile& profile, const std::string& bytes) {
        const profile::SymbolTable& image = target.symbols.at(profile.profile.build_id);
        const absl::StatusOr<profile::ImageStacks> stacks =
            profile::DecodeStacks(bytes, profile.profile.process, image);
        if (stacks.ok()) target.profile.Add(*stacks, image);
        return stacks.status();
      }));
  return target;
}

namespace {

constexpr char kNoProfiles[] = "No process of this target wrote a profile.";
constexpr char kCallsAreSamples[] =
    "Calls were sampled, not counted: each number of calls is the number of samples with the call.";

uint32_t Repetitions(const store::TargetData& data) {
  std::set<uint32_t> run_numbers;
  for (const store::TargetData::Profile& profile : data.profiles) {
    run_numbers.insert(profile.execution.run_number);
  }
  return static_cast<uint32_t>(std::max<size_t>(1, run_numbers.size()));
}

absl::StatusOr<profile::ComputedProfile> ComputeCounted(const ReadBlob& read,
                                                        const store::TargetData& data,
                                                        const std::function<bool()>& stopping) {
  ASSIGN_OR_RETURN(const TargetModules modules, ReadTargetModules(read, data, stopping));
  if (stopping()) return absl::CancelledError("the worker is stopping");
  ComputeOptions options;
  options.repetitions = Repetitions(data);
  options.profiles = static_cast<uint32_t>(data.profiles.size());
  return ComputeProfile(modules.profile, options);
}

absl::StatusOr<profile::ComputedProfile> ComputeSampled(const ReadBlob& read,
                                                        const store::TargetData& data,
                                                        const std::function<bool()>& stopping) {
  ASSIGN_OR_RETURN(TargetStacks stacks, ReadTargetStacks(read, data, stopping));
  profile::ComputedProfile computed = stacks.profile.Take();
  computed.repetitions = Repetitions(data);
  computed.profiles = static_cast<uint32_t>(data.profiles.size());
  computed.warnings.push_back(kCallsAreSamples);
  return computed;
}

}  // namespace

absl::StatusOr<store::AnalysisResult> AnalyzeTarget(const AnalysisInput& input,
                                                    const ReadBlob& read,
                                                    const std::function<bool()>& stopping) {
  const store::TargetData& data = input.data;
  const bool is_sampled = input.profile_kind == store::ProfileKind::kSampled;
  ASSIGN_OR_RETURN(profile::ComputedProfile computed, is_sampled
                                                          ? ComputeSampled(read, data, stopping)
                                                          : ComputeCounted(read, data, stopping));
  if (data.profiles.empty()) {
    computed.warnings.push_back(kNoProfiles);
  } else if (data.without_profiles > 0) {
    computed.warnings.push_back(absl::StrCat(
        "The sum is incomplete: executions without a profile: ", data.without_profiles, "."));
  }

  store::AnalysisResult result;
  std::string bytes = profile::EncodeComputedProfile(computed);
  result.computed.name = base::Sha256Hex(bytes);
  result.computed.bytes = std::move(bytes);
  // A run with a missing shard does not give a point of a series.
  if (input.profile_kind != store::ProfileKind::kCounted || data.without_profiles > 0) {
    return result;
  }
  for (std::string& payload : profile::EncodeSeries(computed)) {
    const auto bucket = static_cast<uint32_t>(result.segments.size());
    result.segments.push_back({input.run_id, input.target, bucket, std::move(payload)});
  }
  return result;
}

}  // namespace gprofhub::analyzer
