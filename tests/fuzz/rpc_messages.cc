// Clients' messages, as the server parses them: the first byte selects the message, of all that any
// method takes. An accepted message must be what libprotobuf writes again.

#include <google/protobuf/message.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#include "collector/method.h"
#include "proto/build_events.pb.h"
#include "proto/byte_stream.pb.h"
#include "proto/collector.pb.h"
#include "proto/health.pb.h"
#include "proto/publish_build_event.pb.h"
#include "proto/query.pb.h"
#include "proto/remote_cache.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub;
  namespace bes = google::devtools::build::v1;
  namespace reapi = build::bazel::remote::execution::v2;
  namespace stream = google::bytestream;
  // New ones come at the end: files of the corpus name them by their places.
  static const auto kMessages = std::to_array<const google::protobuf::Message*>(
      {&v1::UploadRequest::default_instance(),
       &v1::FindMissingBlobsRequest::default_instance(),
       &v1::HealthCheckRequest::default_instance(),
       &v1::ListRunsRequest::default_instance(),
       &v1::GetRunRequest::default_instance(),
       &v1::GetProfileRequest::default_instance(),
       &v1::GetListingRequest::default_instance(),
       &v1::CompareRequest::default_instance(),
       &v1::ExplainRequest::default_instance(),
       &v1::GetTrendRequest::default_instance(),
       &v1::GetChangesRequest::default_instance(),
       &v1::GetOrderingRequest::default_instance(),
       &v1::AcknowledgeRequest::default_instance(),
       &v1::ListAcknowledgementsRequest::default_instance(),
       &v1::RecordGatedRequest::default_instance(),
       &v1::GetGateStatsRequest::default_instance(),
       &v1::FinishRunRequest::default_instance(),
       &v1::GetAskedRerunRequest::default_instance(),
       &v1::RecordCulpritRequest::default_instance(),
       &v1::TakeBackAcknowledgementRequest::default_instance(),
       &bes::PublishLifecycleEventRequest::default_instance(),
       &bes::PublishBuildToolEventStreamRequest::default_instance(),
       &build_events::BuildEvent::default_instance(),
       &stream::ReadRequest::default_instance(),
       &stream::WriteRequest::default_instance(),
       &stream::QueryWriteStatusRequest::default_instance(),
       &reapi::FindMissingBlobsRequest::default_instance(),
       &reapi::BatchUpdateBlobsRequest::default_instance(),
       &reapi::BatchReadBlobsRequest::default_instance(),
       &reapi::GetActionResultRequest::default_instance(),
       &reapi::UpdateActionResultRequest::default_instance(),
       &reapi::GetCapabilitiesRequest::default_instance(),
       &reapi::RequestMetadata::default_instance()});
  if (size == 0) return 0;
  const google::protobuf::Message& kind = *kMessages[data[0] % kMessages.size()];
  const std::unique_ptr<google::protobuf::Message> message(kind.New());
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (!collector::ParseBounded(bytes, *message).ok()) return 0;
  const std::unique_ptr<google::protobuf::Message> again(kind.New());
  const std::string written = message->SerializeAsString();
  if (!again->ParseFromString(written) || again->SerializeAsString() != written) std::abort();
  return 0;
}
