#include "cli/proxy/proxied_call.h"

#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace gprofhub::cli {
namespace {

// Metadata of a connection, or of gRPC itself, is not passed on; nor is a token, whose place the
// project's takes.
bool IsPassedOn(absl::string_view name) {
  return !absl::StartsWith(name, ":") && !absl::StartsWith(name, "grpc-") && name != "te" &&
         name != "host" && name != "content-type" && name != "user-agent" &&
         name != "authorization";
}

std::string Text(const grpc::string_ref& ref) { return std::string(ref.data(), ref.size()); }

}  // namespace

class ProxiedCall::ClientSide final : public grpc::ServerGenericBidiReactor {
 public:
  explicit ClientSide(ProxiedCall& call) : call_(call) {}
  void OnReadDone(bool ok) override { call_.ReadUp(ok); }
  void OnWriteDone(bool ok) override { call_.WrittenDown(ok); }
  void OnCancel() override { call_.Cancelled(); }
  void OnDone() override { call_.ClientDone(); }

 private:
  ProxiedCall& call_;
};

class ProxiedCall::ServerSide final
    : public grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
 public:
  explicit ServerSide(ProxiedCall& call) : call_(call) {}
  void OnWriteDone(bool ok) override { call_.WrittenUp(ok); }
  void OnWritesDoneDone(bool) override { call_.EndUp(); }
  void OnReadDone(bool ok) override { call_.ReadDown(ok); }
  void OnDone(const grpc::Status& status) override { call_.ServerDone(status); }

 private:
  ProxiedCall& call_;
};

ProxiedCall::ProxiedCall(grpc::GenericCallbackServerContext& context, const std::string& token,
                         std::function<void()> on_done)
    : method_(context.method()),
      on_done_(std::move(on_done)),
      from_(context),
      client_(std::make_unique<ClientSide>(*this)),
      server_(std::make_unique<ServerSide>(*this)) {
  for (const auto& [name, value] : context.client_metadata()) {
    if (IsPassedOn({name.data(), name.size()})) to_.AddMetadata(Text(name), Text(value));
  }
  if (!token.empty()) to_.AddMetadata("authorization", absl::StrCat("Bearer ", token));
  to_.set_deadline(context.deadline());
}

ProxiedCall::~ProxiedCall() = default;

grpc::ServerGenericBidiReactor* ProxiedCall::Start(grpc::GenericStub& stub,
                                                   grpc::GenericCallbackServerContext& context,
                                                   const std::string& token,
                                                   std::function<void()> on_done) {
  // It ends itself (ClientDone).
  auto* const call = new ProxiedCall(context, token, std::move(on_done));
  grpc::ServerGenericBidiReactor* const client = call->client_.get();
  stub.PrepareBidiStreamingCall(&call->to_, call->method_, {}, call->server_.get());
  call->server_->AddMultipleHolds(2);  // one a pump
  call->server_->StartRead(&call->down_);
  call->server_->StartCall();
  client->StartRead(&call->up_);
  return client;
}

void ProxiedCall::ReadUp(bool ok) {
  absl::MutexLock lock(&mutex_);
  if (up_has_ended_) return;
  if (ok) {
    server_->StartWrite(&up_);
  } else {
    // The client has sent everything. If it is gone, Cancelled tells of that.
    server_->StartWritesDone();
  }
}

void ProxiedCall::WrittenUp(bool ok) {
  if (!ok) return EndUp();
  absl::MutexLock lock(&mutex_);
  if (!up_has_ended_) client_->StartRead(&up_);
}

void ProxiedCall::EndUp() {
  {
    absl::MutexLock lock(&mutex_);
    if (std::exchange(up_has_ended_, true)) return;
  }
  server_->RemoveHold();
}

void ProxiedCall::ReadDown(bool ok) {
  if (ok) return client_->StartWrite(&down_);
  // The server sends no more: it takes no more, either.
  EndUp();
  server_->RemoveHold();
}

void ProxiedCall::WrittenDown(bool ok) {
  if (!ok) to_.TryCancel();  // the client is gone; the next read says so
  server_->StartRead(&down_);
}

void ProxiedCall::Cancelled() {
  to_.TryCancel();
  EndUp();
}

void ProxiedCall::ServerDone(const grpc::Status& status) {
  for (const auto& [name, value] : to_.GetServerTrailingMetadata()) {
    // The first is the server's word on when to come back, which clients of gRPC obey.
    if (name == "grpc-retry-pushback-ms" || IsPassedOn({name.data(), name.size()})) {
      from_.AddTrailingMetadata(Text(name), Text(value));
    }
  }
  client_->Finish(status);
}

void ProxiedCall::ClientDone() {
  const std::function<void()> on_done = on_done_;
  delete this;
  on_done();
}

}  // namespace gprofhub::cli
