// Clients' messages, as the server parses them: the first byte selects the message, of all that any
// method takes. An accepted message must be what libprotobuf writes again.

#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "collector/method.h"
#include "proto/build_events.pb.h"
#include "proto/byte_stream.pb.h"
#include "proto/collector.pb.h"
#include "proto/health.pb.h"
#include "proto/publish_build_event.pb.h"
#include "proto/query.pb.h"
#include "proto/remote_cache.pb.h"

namespace {

using google::protobuf::Message;

// The requests of the file's services, and these messages.
void Add(const google::protobuf::FileDescriptor& file, const std::vector<const Message*>& more,
         std::vector<const Message*>& all) {
  auto& factory = *google::protobuf::MessageFactory::generated_factory();
  for (const Message* message : more) all.push_back(message);
  for (int i = 0; i < file.service_count(); ++i) {
    const google::protobuf::ServiceDescriptor& service = *file.service(i);
    for (int j = 0; j < service.method_count(); ++j) {
      all.push_back(factory.GetPrototype(service.method(j)->input_type()));
    }
  }
}

// New ones come at the end: files of the corpus name them by their places.
std::vector<const Message*> AllMessages() {
  using namespace gprofhub;
  namespace reapi = build::bazel::remote::execution::v2;
  std::vector<const Message*> all;
  Add(*v1::UploadRequest::descriptor()->file(), {&v1::HealthCheckRequest::default_instance()}, all);
  Add(*google::bytestream::ReadRequest::descriptor()->file(), {}, all);
  Add(*reapi::RequestMetadata::descriptor()->file(), {&reapi::RequestMetadata::default_instance()},
      all);
  Add(*google::devtools::build::v1::PublishLifecycleEventRequest::descriptor()->file(),
      {&build_events::BuildEvent::default_instance()}, all);
  Add(*v1::ListRunsRequest::descriptor()->file(), {}, all);
  return all;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace gprofhub;
  static const std::vector<const Message*> kMessages = AllMessages();
  if (size == 0) return 0;
  const Message& kind = *kMessages[data[0] % kMessages.size()];
  const std::unique_ptr<Message> message(kind.New());
  const absl::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  if (!collector::ParseBounded(bytes, *message).ok()) return 0;
  const std::unique_ptr<Message> again(kind.New());
  const std::string written = message->SerializeAsString();
  if (!again->ParseFromString(written) || again->SerializeAsString() != written) std::abort();
  return 0;
}
