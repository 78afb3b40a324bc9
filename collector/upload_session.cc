#include "collector/upload_session.h"

#include <spdlog/spdlog.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/hash.h"
#include "base/status.h"
#include "base/status_macros.h"
#include "collector/access/authorizer.h"
#include "collector/fair_pool.h"
#include "collector/method.h"
#include "collector/validate.h"
#include "store/records/run_columns.h"

namespace gprofhub::collector {

Access AccessOf(Authorizer& authorizer, Quotas* quotas) {
  Access access;
  access.authenticate = [&authorizer](const CallOrigin& call) {
    return authorizer.Authenticate(call);
  };
  access.note_refusal = [&authorizer](const CallOrigin& call, const store::Actor& who,
                                      const absl::Status& why) {
    authorizer.NoteRefusal(call, who, why);
  };
  access.recheck = [&authorizer](const Caller& caller) { return authorizer.Recheck(caller); };
  if (quotas != nullptr) {
    access.charge = [quotas](const std::string& project, uint64_t bytes) {
      return quotas->Charge(project, bytes);
    };
    access.take_call = [quotas](const std::string& project) { return quotas->TakeCall(project); };
  }
  return access;
}

namespace {

constexpr absl::Duration kComeBackForAnUpload = absl::Seconds(5);
constexpr absl::Duration kComeBackWhenFull = absl::Seconds(30);

absl::Status NoMemory() {
  return Overloaded(
      "the uploads in progress use all memory available to this project; try again later",
      kComeBackForAnUpload, "UPLOAD_MEMORY");
}

store::ExecutionRecord ToExecutionRecord(const v1::ExecutionInfo& info) {
  store::ExecutionRecord execution;
  execution.target = info.target();
  execution.run_number = info.run_number();
  execution.shard = info.shard();
  execution.attempt = info.attempt();
  execution.cached = info.cached();
  execution.status = info.status();
  execution.duration_ms = info.duration_ms();
  execution.test_binary_digest = info.test_binary_digest();
  return execution;
}

}  // namespace

absl::Status UploadSession::Receive(v1::UploadRequest&& message) {
  switch (message.part_case()) {
    case v1::UploadRequest::kHeader:
      return ReceiveHeader(std::move(*message.mutable_header()));
    case v1::UploadRequest::kChunk:
      return ReceiveChunk(message.chunk());
    case v1::UploadRequest::PART_NOT_SET:
      break;
  }
  return FieldError("part", "is missing; a message must contain a header or a chunk");
}

absl::Status UploadSession::ReceiveHeader(v1::UploadHeader&& header) {
  if (has_header_) return FieldError("header", "was sent twice");
  const std::string& project = header.run().project();
  RETURN_IF_ERROR(ValidateProject("header.run.project", project));
  ASSIGN_OR_RETURN(Caller caller, authorize_(project));
  caller_ = std::move(caller);
  RETURN_IF_ERROR(ValidateHeader(header, context_.limits_));
  RETURN_IF_ERROR(SettleRun(caller_, *header.mutable_run()));

  for (const v1::ImageRef& image : header.images()) {
    blobs_[image.bundle().sha256()] = {image.bundle().size(), true, ""};
  }
  for (const v1::ProfileRef& profile : header.profiles()) {
    blobs_[profile.data().sha256()] = {profile.data().size(), true, ""};
  }
  std::vector<store::BlobName> names;
  for (const auto& [name, blob] : blobs_) names.push_back(name);
  ASSIGN_OR_RETURN(const std::vector<store::BlobName> missing,
                   context_.blobs_.FindMissing(project, names));
  uint64_t bytes_to_come = 0;
  for (const store::BlobName& name : missing) {
    IncomingBlob& blob = blobs_[name];
    blob.held = false;
    bytes_to_come += blob.size;  // at most 11,000 blobs of at most 256 MiB
  }
  if (bytes_to_come > context_.limits_.stream) {
    return FieldTooLarge("header",
                         absl::StrCat("announces ", bytes_to_come, " bytes of new blobs; at most ",
                                      context_.limits_.stream, " are allowed"));
  }
  // Both are reserved in full at the start, because refusing an upload halfway wastes time and
  // bandwidth.
  const uint64_t row_bytes = header.ByteSizeLong();
  RETURN_IF_ERROR(quota_.Begin(project, bytes_to_come + row_bytes));
  RETURN_IF_ERROR(quota_.Receive(row_bytes));
  if (!held_bytes_.Take(project, bytes_to_come + header.SpaceUsedLong())) return NoMemory();
  header_ = std::move(header);
  has_header_ = true;
  return absl::OkStatus();
}

absl::Status UploadSession::ReceiveChunk(const v1::BlobChunk& chunk) {
  if (!has_header_) return FieldError("header", "must come before the first chunk");
  const auto found = blobs_.find(chunk.sha256());
  if (found == blobs_.end()) return FieldError("chunk.sha256", "is not listed in the header");
  const auto& [name, announced] = *found;
  IncomingBlob& blob = found->second;
  const uint64_t size = chunk.data().size();
  if (size == 0) return FieldError("chunk.data", "is empty");
  if (size > context_.limits_.chunk) {
    return FieldTooLarge("chunk.data", absl::StrCat("has ", size, " bytes; at most ",
                                                    context_.limits_.chunk, " are allowed"));
  }
  if (chunk.offset() != blob.bytes.size()) {
    return FieldError("chunk.offset",
                      absl::StrCat("is ", chunk.offset(), "; the next byte of blob ", name, " is ",
                                   blob.bytes.size()));
  }
  if (size > blob.size - blob.bytes.size()) {
    return FieldError("chunk.data",
                      absl::StrCat("exceeds the ", blob.size, " bytes announced for blob ", name));
  }
  // Counts blobs that the store already has, too.
  if (size > context_.limits_.stream - bytes_received_) {
    return FieldTooLarge("chunk.data", absl::StrCat("makes the upload longer than ",
                                                    context_.limits_.stream, " bytes"));
  }
  RETURN_IF_ERROR(quota_.Receive(size));
  // No memory was reserved for a blob that the store already has.
  if (blob.held && !held_bytes_.Take(header_.run().project(), size)) return NoMemory();
  if (blob.bytes.empty() && !blob.held) blob.bytes.reserve(blob.size);
  bytes_received_ += size;
  blob.bytes.append(chunk.data());
  if (blob.bytes.size() == blob.size && base::Sha256Hex(blob.bytes) != name) {
    return absl::DataLossError(absl::StrCat("the bytes received for blob ", name,
                                            " do not match its hash; send them again"));
  }
  return absl::OkStatus();
}

absl::StatusOr<v1::UploadResponse> UploadSession::Finish(absl::Time now) {
  if (!has_header_) return FieldError("header", "is missing; the stream ended without one");
  RETURN_IF_ERROR(CheckComplete());
  RETURN_IF_ERROR(CheckContents());
  RETURN_IF_ERROR(CheckWanted());
  const absl::StatusOr<store::RecordedExecution> recorded =
      context_.ingest_.RecordExecution(TakeExecution(), now);
  if (absl::IsResourceExhausted(recorded.status())) {
    // A full disk: retry until space is available or the uploader gives up.
    return base::WithPublicMessage(
        Overloaded(recorded.status().message(), kComeBackWhenFull, "DISK_FULL"),
        base::PublicMessageOf(recorded.status()));
  }
  if (!recorded.ok()) return recorded.status();
  if (!recorded->already_present) quota_.Stored();
  v1::UploadResponse response;
  response.set_run_id(absl::StrCat(recorded->run_id));
  response.set_already_present(recorded->already_present);
  response.set_profiles_stored(recorded->already_present ? 0 : header_.profiles_size());
  response.set_bytes_received(bytes_received_);
  response.set_profiles(recorded->profiles);
  return response;
}

// Nobody hears of an upload whose client has left, so it is not recorded.
absl::Status UploadSession::CheckWanted() const {
  if (cancelled_ == nullptr || !cancelled_()) return absl::OkStatus();
  return absl::CancelledError("the client cancelled the upload; nothing was stored");
}

absl::Status UploadSession::CheckComplete() const {
  for (const auto& [name, blob] : blobs_) {
    if (blob.bytes.size() == blob.size || (blob.held && blob.bytes.empty())) continue;
    return FieldError("chunk", absl::StrCat("the stream ended after ", blob.bytes.size(),
                                            " of the ", blob.size, " bytes of blob ", name));
  }
  return absl::OkStatus();
}

// Image by image, with the profiles of each, so that only one image is in memory at a time.
absl::Status UploadSession::CheckContents() {
  absl::flat_hash_map<std::string, std::vector<int>> profiles_of;  // by build-id
  absl::flat_hash_set<std::pair<store::BlobName, std::string>> seen;
  for (int i = 0; i < header_.profiles_size(); ++i) {
    const v1::ProfileRef& profile = header_.profiles(i);
    if (!seen.emplace(profile.data().sha256(), profile.build_id()).second) continue;
    profiles_of[profile.build_id()].push_back(i);
  }
  for (int i = 0; i < header_.images_size(); ++i) {
    RETURN_IF_ERROR(CheckWanted());
    base::DecodingCall call(context_.decoding_, header_.run().project(), cancelled_);
    const base::Decoding decoding(call);
    ASSIGN_OR_RETURN(const Image image, CheckImage(i, decoding));
    for (const int profile : profiles_of[header_.images(i).build_id()]) {
      RETURN_IF_ERROR(CheckProfile(profile, *image, decoding));
    }
  }
  return absl::OkStatus();
}

absl::Status UploadSession::CheckProfile(int i, const profile::SymbolTable& image,
                                         const base::Decoding& decoding) {
  const base::DecodingScope scope(decoding);
  const v1::ProfileRef& profile = header_.profiles(i);
  std::string storage;
  ASSIGN_OR_RETURN(const absl::string_view bytes,
                   BytesOf(profile.data().sha256(), decoding, storage));
  const auto check =
      header_.run().profile_kind() == v1::SAMPLED ? CheckSampledProfile : CheckCountedProfile;
  return check(absl::StrCat("header.profiles[", i, "].data"), bytes, profile.process(), image,
               decoding);
}

absl::StatusOr<UploadSession::Image> UploadSession::CheckImage(int i,
                                                               const base::Decoding& decoding) {
  const v1::ImageRef& image = header_.images(i);
  const std::string field = absl::StrCat("header.images[", i, "].bundle");
  const auto decode = [&]() -> absl::StatusOr<profile::SymbolTable> {
    std::string storage;
    ASSIGN_OR_RETURN(const absl::string_view bytes,
                     BytesOf(image.bundle().sha256(), decoding, storage));
    return CheckBundle(field, bytes, decoding);
  };
  absl::StatusOr<Image> checked = context_.bundles_.Get(image.bundle().sha256(), decode);
  if (checked.ok() && (*checked)->build_id != image.build_id()) {
    return FieldError(field, absl::StrCat("is the symbol bundle of build-id ", (*checked)->build_id,
                                          ", announced for ", image.build_id()));
  }
  return checked;
}

absl::StatusOr<absl::string_view> UploadSession::BytesOf(const store::BlobName& name,
                                                         const base::Decoding& decoding,
                                                         std::string& storage) const {
  const IncomingBlob& blob = blobs_.at(name);
  if (!blob.bytes.empty()) return absl::string_view(blob.bytes);
  ASSIGN_OR_RETURN(const uint64_t size, context_.blobs_.SizeOf(name));
  absl::StatusOr<base::Reservation> memory = decoding.Take(size);
  if (!memory.ok()) return OverloadedIfShort(memory.status());
  memory->Leave(size);
  ASSIGN_OR_RETURN(std::string held, context_.blobs_.Read(name));
  storage = std::move(held);
  return absl::string_view(storage);
}

store::NewExecution UploadSession::TakeExecution() {
  store::NewExecution execution;
  execution.sender = caller_.actor;
  execution.request = request_;
  execution.run = store::ToRunRecord(header_.run());
  execution.execution = ToExecutionRecord(header_.execution());
  for (const v1::ProfileRef& profile : header_.profiles()) {
    execution.profiles.push_back({profile.process(), profile.build_id(), profile.data().sha256()});
  }
  for (const v1::ImageRef& image : header_.images()) {
    execution.images.push_back({image.build_id(), image.bundle().sha256()});
  }
  for (auto& [name, blob] : blobs_) {
    if (!blob.bytes.empty()) execution.blobs.push_back({name, std::move(blob.bytes)});
  }
  return execution;
}

namespace {

constexpr uint64_t kDecodingBytes = uint64_t{768} << 20;

// One stream of Upload.
class UploadHandler final : public CallHandler {
 public:
  UploadHandler(UploadContext& uploads, const CollectorService::Options& options,
                const CallContext& context)
      : options_(options),
        session_(
            uploads,
            [caller = context.caller](absl::string_view project) -> absl::StatusOr<Caller> {
              RETURN_IF_ERROR(Permit(caller, project, Scope::kUpload));
              return caller;
            },
            context.request, context.cancelled) {}

  absl::Status Receive(absl::string_view bytes) override {
    v1::UploadRequest message;
    RETURN_IF_ERROR(ParseBounded(bytes, message));
    return session_.Receive(std::move(message));
  }

  absl::StatusOr<NextMessage> Answer() override {
    ASSIGN_OR_RETURN(const v1::UploadResponse response, session_.Finish(options_.now()));
    spdlog::info("{} in run {} of {} received: {} profiles, {} bytes{}", session_.target(),
                 response.run_id(), session_.project(), response.profiles(),
                 response.bytes_received(), response.already_present() ? "; already present" : "");
    if (!response.already_present()) options_.on_recorded();
    return OneMessage(response.SerializeAsString());
  }

 private:
  const CollectorService::Options& options_;
  UploadSession session_;
};

}  // namespace

CollectorService::CollectorService(store::Blobs blobs, store::Ingest ingest, store::Reading reading,
                                   Options options)
    : blobs_(std::move(blobs)),
      ingest_(std::move(ingest)),
      reading_(std::move(reading)),
      options_(std::move(options)),
      none_(nullptr),
      own_decoding_(kDecodingBytes),
      uploads_(blobs_, ingest_, options_.limits, options_.in_flight_bytes,
               options_.quotas == nullptr ? none_ : *options_.quotas,
               options_.decoding == nullptr ? own_decoding_ : *options_.decoding) {}

std::vector<Method> CollectorService::Methods() {
  Method upload;
  upload.name = "/gprofhub.v1.Collector/Upload";
  upload.one_message = false;
  upload.longest = options_.max_upload_time;
  upload.start = [this](const CallContext& context) {
    return std::make_unique<UploadHandler>(uploads_, options_, context);
  };
  return {UnaryMethod<v1::FindMissingBlobsRequest>(
              "/gprofhub.v1.Collector/FindMissingBlobs", Scope::kUpload,
              [this](const v1::FindMissingBlobsRequest& request, const CallContext&) {
                return FindMissingBlobs(request);
              }),
          UnaryMethod<v1::FinishRunRequest>(
              "/gprofhub.v1.Collector/FinishRun", Scope::kUpload,
              [this](const v1::FinishRunRequest& request, const CallContext& call) {
                return FinishRun(request, call.caller);
              }),
          std::move(upload)};
}

absl::StatusOr<v1::FindMissingBlobsResponse> CollectorService::FindMissingBlobs(
    const v1::FindMissingBlobsRequest& request) const {
  RETURN_IF_ERROR(ValidateFindMissing(request, options_.limits));
  std::vector<store::BlobName> names;
  for (const v1::BlobRef& blob : request.blobs()) names.push_back(blob.sha256());
  ASSIGN_OR_RETURN(const std::vector<store::BlobName> missing,
                   blobs_.FindToSend(request.project(), names));
  const absl::flat_hash_set<store::BlobName> missing_names(missing.begin(), missing.end());
  v1::FindMissingBlobsResponse response;
  for (const v1::BlobRef& blob : request.blobs()) {
    if (missing_names.contains(blob.sha256())) *response.add_missing() = blob;
  }
  return response;
}

absl::StatusOr<v1::FinishRunResponse> CollectorService::FinishRun(
    const v1::FinishRunRequest& request, const Caller& caller) const {
  int64_t run_id = 0;
  if (!absl::SimpleAtoi(request.run_id(), &run_id) || run_id <= 0) {
    return absl::InvalidArgumentError("run_id: not the number of a run");
  }
  const absl::StatusOr<store::RunRecord> run = reading_.ReadRun(run_id);
  if (!run.ok() && !absl::IsNotFound(run.status())) return run.status();
  if (run.ok() && run->project == request.project()) {
    RETURN_IF_ERROR(PermitRun(caller, *run));
  }
  RETURN_IF_ERROR(ingest_.FinishRun(request.project(), run_id, options_.now()));
  options_.on_finished();
  return v1::FinishRunResponse();
}

}  // namespace gprofhub::collector
