// An attempt's outputs, an archive or files, are untrusted input, as an upload's blobs are. They
// are read in memory, their profiles are bounded by OutputLimits, and the declared unpacked size of
// an archive or of all files together, like that of bundles, is reserved from the decoding memory
// before the first byte is unpacked or fetched. The contents go through an upload session of their
// own, the only way into the store.
#include "collector/bes/record_attempt.h"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/hash.h"
#include "base/memory_budget.h"
#include "base/status_macros.h"
#include "ci/upload/results/profile_files.h"
#include "collector/fair_pool.h"
#include "collector/validate.h"

namespace gprofhub::collector {

namespace {

constexpr uint64_t kMostArchiveBytes = 256 << 20;
constexpr uint64_t kChunkBytes = 1 << 20;

using Image = std::shared_ptr<const profile::SymbolTable>;

// Decoding memory of one attempt.
class Memory {
 public:
  // `budget` outlives it.
  Memory(base::MemoryBudget& budget, const std::string& project)
      : call_(budget, project, /*is_over=*/nullptr) {}

  base::Decoding decoding() { return base::Decoding(call_); }
  // Remembers an error that is not the attempt's fault.
  void Note(const absl::Status& status) {
    const absl::Status word = OverloadedIfShort(status);
    if (ComeBackIn(word).has_value()) short_ = word;
  }
  // Not OK: something was skipped because of a temporary shortage of memory (Overloaded).
  const absl::Status& short_of_it() const { return short_; }

 private:
  base::DecodingCall call_;
  absl::Status short_;
};

struct Bundle {
  HandedOverFile file;
  Image image;  // null: not read yet, or unusable
  bool looked_at = false;
};

// The symbol bundles that the build names for one attempt, read on demand.
class Bundles {
 public:
  // Decoded bundles share the lifetime of `memory`.
  Bundles(const AttemptRecorder& recorder, std::string project,
          const std::vector<std::string>& uris, Memory& memory)
      : recorder_(recorder), project_(std::move(project)), memory_(memory) {
    absl::flat_hash_set<std::string> seen;
    for (const std::string& uri : uris) {
      const std::optional<HandedOverFile> file = ParseBytestream(uri);
      // An empty file means that the target has no symbols.
      if (!file.has_value() || file->size == 0 || !seen.insert(file->sha256).second) continue;
      bundles_.push_back({*file, nullptr, false});
    }
  }

  // The bundle of the image; null if absent.
  const Bundle* Find(const std::string& build_id) {
    for (Bundle& bundle : bundles_) {
      if (!bundle.looked_at) LookAt(bundle);
      if (bundle.image != nullptr && bundle.image->build_id == build_id) return &bundle;
    }
    return nullptr;
  }

  // Drops the decoded bundles when no further one is needed. Their bytes can still be read.
  void DropDecoded() {
    for (Bundle& bundle : bundles_) bundle.image = nullptr;
  }

  // The only bundle; null unless there is exactly one.
  const Bundle* Only() {
    if (bundles_.size() != 1) return nullptr;
    if (!bundles_[0].looked_at) LookAt(bundles_[0]);
    return bundles_[0].image == nullptr ? nullptr : &bundles_[0];
  }

  // Why some bundles could not be read.
  const std::vector<std::string>& problems() const { return problems_; }

  // The bytes of one bundle.
  absl::StatusOr<std::string> Read(const store::BlobName& sha256) const {
    for (const Bundle& bundle : bundles_) {
      if (bundle.file.sha256 == sha256) return Read(bundle.file);
    }
    return absl::NotFoundError("not one of the build's symbol bundles");
  }

 private:
  absl::StatusOr<std::string> Read(const HandedOverFile& file) const {
    if (file.size > UploadLimits().bundle) {
      return absl::ResourceExhaustedError(
          absl::StrCat("a symbol bundle has ", file.size, " bytes; at most ", UploadLimits().bundle,
                       " are allowed; build with -g1 instead of -g"));
    }
    // A bundle is the same in many invocations: the project has usually sent it before.
    const auto missing = recorder_.uploads.blobs().FindMissing(project_, {file.sha256});
    if (missing.ok() && missing->empty()) return recorder_.uploads.blobs().Read(file.sha256);
    return recorder_.read(project_, file);
  }

  void LookAt(Bundle& bundle) {
    bundle.looked_at = true;
    UploadContext& uploads = recorder_.uploads;
    // All projects share the cache, so the right comes first: the project has sent the bundle, or
    // its build can.
    const auto missing = uploads.blobs().FindMissing(project_, {bundle.file.sha256});
    absl::StatusOr<std::string> sent = std::string();
    if (!missing.ok() || !missing->empty()) sent = Read(bundle.file);
    const auto decode = [&]() -> absl::StatusOr<profile::SymbolTable> {
      if (sent->empty()) sent = Read(bundle.file);
      if (!sent.ok()) return sent.status();
      return CheckBundle("symbol bundle", *sent, memory_.decoding());
    };
    absl::StatusOr<Image> image = sent.ok() ? uploads.bundles().Get(bundle.file.sha256, decode)
                                            : absl::StatusOr<Image>(sent.status());
    if (image.ok()) {
      bundle.image = *std::move(image);
    } else {
      problems_.emplace_back(image.status().message());
      memory_.Note(image.status());
    }
  }

  const AttemptRecorder& recorder_;
  const std::string project_;
  Memory& memory_;
  std::vector<Bundle> bundles_;
  std::vector<std::string> problems_;
};

// The profiles that `read` returns, packed. `unpacked` is their declared size, which is reserved
// before the first of them is unpacked or fetched.
absl::StatusOr<ci::FoundProfiles> Unpack(
    uint64_t unpacked, const std::function<absl::StatusOr<ci::FoundProfiles>()>& read,
    const base::Decoding& decoding) {
  // The files and their packed form are in memory together.
  ASSIGN_OR_RETURN(base::Reservation memory, decoding.Take(2 * unpacked));
  ASSIGN_OR_RETURN(ci::FoundProfiles found, read());
  RETURN_IF_ERROR(ci::PackRecordings(found, decoding));
  uint64_t kept = 0;
  for (const ci::ProfileFile& profile : found.profiles) kept += profile.bytes.size();
  memory.Leave(kept);
  return found;
}

absl::Status NotInACache() {
  return absl::FailedPreconditionError(
      "the address of its outputs is not that of a remote cache with SHA-256");
}

// The profiles in the outputs.zip at `uri`.
absl::StatusOr<ci::FoundProfiles> ReadArchive(const AttemptRecorder& recorder,
                                              const std::string& project, const std::string& uri,
                                              Memory& memory) {
  const std::optional<HandedOverFile> file = ParseBytestream(uri);
  if (!file.has_value()) return NotInACache();
  if (file->size > kMostArchiveBytes) {
    return absl::ResourceExhaustedError(absl::StrCat("its outputs.zip has ", file->size,
                                                     " bytes; at most ", kMostArchiveBytes,
                                                     " are accepted"));
  }
  ASSIGN_OR_RETURN(const std::string bytes, recorder.read(project, *file));
  ASSIGN_OR_RETURN(const uint64_t unpacked, ci::ProfileBytesInZip(bytes, "outputs.zip"));
  return Unpack(
      unpacked, [&bytes] { return ci::ReadProfilesInZipBytes(bytes, "outputs.zip"); },
      memory.decoding());
}

// The profiles among the outputs that Bazel names one by one.
absl::StatusOr<ci::FoundProfiles> ReadFiles(const AttemptRecorder& recorder,
                                            const std::string& project,
                                            const std::vector<ci::OutputFile>& files,
                                            Memory& memory) {
  ci::OutputAccess access;
  access.size = [](const ci::OutputFile& file) -> absl::StatusOr<uint64_t> {
    const std::optional<HandedOverFile> parsed = ParseBytestream(file.place);
    if (!parsed.has_value()) return NotInACache();
    return parsed->size;
  };
  access.read = [&](const ci::OutputFile& file, uint64_t) {
    return recorder.read(project, *ParseBytestream(file.place));
  };
  ASSIGN_OR_RETURN(const uint64_t unpacked, ci::ProfileBytesInFiles(files, access));
  return Unpack(
      unpacked, [&] { return ci::ReadProfileFiles(files, access); }, memory.decoding());
}

// The profiles in the attempt's outputs, unpacked.
std::vector<ci::ProfileFile> ReadOutputs(const AttemptRecorder& recorder,
                                         const std::string& project, const ci::TestAttempt& attempt,
                                         Memory& memory, std::vector<std::string>& skipped) {
  const auto skip = [&](absl::string_view why) {
    skipped.push_back(absl::StrCat(ci::Describe(attempt), ": ", why));
  };
  std::vector<ci::ProfileFile> profiles;
  const auto take = [&](absl::StatusOr<ci::FoundProfiles> found) {
    if (!found.ok()) {
      memory.Note(found.status());
      skip(found.status().message());
      return;
    }
    for (const std::string& problem : found->problems) skip(problem);
    for (ci::ProfileFile& profile : found->profiles) profiles.push_back(std::move(profile));
  };
  if (!attempt.outputs.empty() || !attempt.output_files.empty()) {
    skip(
        "its outputs are on the machine that ran Bazel; set --remote_cache to the server of "
        "--bes_backend to upload them, and with Bazel 7 --zip_undeclared_test_outputs");
  }
  for (const std::string& uri : attempt.remote_outputs) {
    take(ReadArchive(recorder, project, uri, memory));
  }
  // Without all of its files an execution would be recorded without a part of its work.
  if (attempt.output_files.empty()) {
    take(ReadFiles(recorder, project, attempt.remote_output_files, memory));
  }
  return profiles;
}

// The images of the profile that have a matching bundle.
std::vector<ci::ImageBundle> ImagesOf(const ci::ProfileFile& profile, Bundles& bundles,
                                      Memory& memory, std::vector<std::string>& skipped,
                                      bool& lacks_symbols) {
  std::vector<ci::RecordedImage> wanted = profile.images;
  if (wanted.empty()) wanted.push_back({profile.build_id, true, ""});
  std::vector<ci::ImageBundle> images;
  for (const ci::RecordedImage& one : wanted) {
    const Bundle* const bundle = one.build_id.empty() ? bundles.Only() : bundles.Find(one.build_id);
    if (bundle == nullptr) {
      if (!one.is_wanted) continue;
      lacks_symbols = true;
      skipped.push_back(
          absl::StrCat(profile.name, ": the build has no symbol bundle of ",
                       one.file_name.empty() ? "its program" : one.file_name, " (build-id ",
                       one.build_id.empty() ? "unknown" : one.build_id,
                       "); install `gprofhub` where Bazel runs, so that its aspect creates them"));
      for (const std::string& problem : bundles.problems()) skipped.push_back(problem);
      continue;
    }
    const absl::Status status = ci::CheckProfile(profile, *bundle->image, memory.decoding());
    memory.Note(status);
    if (!status.ok()) {
      if (one.is_wanted) skipped.emplace_back(status.message());
      continue;
    }
    images.push_back({bundle->image->build_id, bundle->file.sha256, bundle->file.size});
  }
  return images;
}

absl::Status SendBlob(UploadSession& session, const store::BlobName& name,
                      absl::string_view bytes) {
  for (uint64_t offset = 0; offset < bytes.size(); offset += kChunkBytes) {
    v1::UploadRequest message;
    v1::BlobChunk& chunk = *message.mutable_chunk();
    chunk.set_sha256(name);
    chunk.set_offset(offset);
    chunk.set_data(std::string(bytes.substr(offset, kChunkBytes)));
    RETURN_IF_ERROR(session.Receive(std::move(message)));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::UploadResponse> Upload(const AttemptRecorder& recorder,
                                          const AttemptSender& sender,
                                          const ci::DescribedExecution& described,
                                          const Bundles& bundles, absl::Time now) {
  const std::string& project = described.header.run().project();
  std::map<store::BlobName, absl::string_view> profiles;
  for (const ci::ProfileFile& profile : described.profiles) {
    profiles[base::Sha256Hex(profile.bytes)] = profile.bytes;
  }
  std::set<store::BlobName> named;  // bundles
  for (const v1::ImageRef& image : described.header.images()) {
    named.insert(image.bundle().sha256());
  }
  std::vector<store::BlobName> names;
  for (const auto& [name, bytes] : profiles) names.push_back(name);
  names.insert(names.end(), named.begin(), named.end());

  UploadSession session(
      recorder.uploads,
      [&sender](absl::string_view of) -> absl::StatusOr<Caller> {
        RETURN_IF_ERROR(Permit(sender.caller, of, Scope::kUpload));
        return sender.caller;
      },
      sender.request);
  v1::UploadRequest header;
  *header.mutable_header() = described.header;
  RETURN_IF_ERROR(session.Receive(std::move(header)));
  ASSIGN_OR_RETURN(const std::vector<store::BlobName> missing,
                   recorder.uploads.blobs().FindToSend(project, names));
  for (const store::BlobName& name : missing) {
    absl::Status status;
    if (const auto profile = profiles.find(name); profile != profiles.end()) {
      status = SendBlob(session, name, profile->second);
    } else {
      const absl::StatusOr<std::string> bytes = bundles.Read(name);
      status = bytes.ok() ? SendBlob(session, name, *bytes) : bytes.status();
    }
    if (!status.ok()) return status;
  }
  return session.Finish(now);
}

}  // namespace

namespace {

absl::Status UploadExecutions(const AttemptRecorder& recorder, const AttemptSender& sender,
                              const v1::RunInfo& run, const ci::TestAttempt& attempt,
                              const Bundles& bundles, absl::Time now,
                              std::vector<ci::DescribedExecution>& executions,
                              RecordedAttempt& recorded) {
  const bool some_left_out = !recorded.notes.empty();
  for (ci::DescribedExecution& described : executions) {
    const bool has_profiles = !described.profiles.empty();
    // For a result from Bazel's cache the store may have the profile. Otherwise there is nothing to
    // record (ci/upload/upload.cc does the same).
    if (!has_profiles && !ci::AsksForProfile(attempt, described.header, some_left_out)) {
      if (recorded.notes.empty()) recorded.notes.emplace_back("it has no profile");
      continue;
    }
    const v1::ProfileKind kind = described.header.run().profile_kind();
    *described.header.mutable_run() = run;
    described.header.mutable_run()->set_profile_kind(kind);
    const absl::StatusOr<v1::UploadResponse> response =
        Upload(recorder, sender, described, bundles, now);
    if (!response.ok()) return response.status();
    recorded.is_new |= !response->already_present();
    if (!has_profiles && !some_left_out && response->profiles() == 0) {
      recorded.notes.emplace_back(ci::kNoOutputsNamed);
    }
    if (!absl::SimpleAtoi(response->run_id(), &recorded.run_id)) {
      return absl::InternalError("the number of a run is not valid");
    }
  }
  return absl::OkStatus();
}

}  // namespace

RecordedAttempt RecordAttempt(const AttemptRecorder& recorder, const AttemptSender& sender,
                              const v1::RunInfo& run, const ci::TestAttempt& attempt, bool may_wait,
                              absl::Time now) {
  RecordedAttempt recorded;
  bool lacks_symbols = false;
  // The upload reserves its own memory, so the decoded data is released first.
  std::optional<Memory> memory(std::in_place, recorder.uploads.decoding(), run.project());
  Bundles bundles(recorder, run.project(), attempt.remote_symbol_bundles, *memory);
  ci::ImageSources sources;
  sources.images_of = [&](ci::ProfileFile& profile, std::vector<std::string>& skipped) {
    return ImagesOf(profile, bundles, *memory, skipped, lacks_symbols);
  };
  sources.own_build_id = [&] {
    const Bundle* const bundle = bundles.Only();
    return bundle == nullptr ? "" : bundle->image->build_id;
  };
  std::vector<ci::ProfileFile> profiles =
      ReadOutputs(recorder, run.project(), attempt, *memory, recorded.notes);
  std::vector<ci::DescribedExecution> all;
  for (ci::MeasuredUnit& unit : ci::UnitsOf(attempt, std::move(profiles))) {
    all.push_back(
        ci::DescribeExecution(unit.attempt, std::move(unit.profiles), sources, recorded.notes));
  }
  if (!memory->short_of_it().ok()) {
    recorded.status = memory->short_of_it();
    return recorded;
  }
  bundles.DropDecoded();
  memory.reset();
  if (lacks_symbols && may_wait) {
    recorded.waits = true;
    return recorded;
  }
  recorded.status = UploadExecutions(recorder, sender, run, attempt, bundles, now, all, recorded);
  return recorded;
}

}  // namespace gprofhub::collector
