#include "server/services.h"

#include <algorithm>
#include <functional>
#include <iostream>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/status_macros.h"
#include "server/grpc_server.h"
#include "server/metrics.h"
#include "server/queries/query_methods.h"
#include "server/workers.h"
#include "store/upkeep.h"

namespace gprofhub::server {

namespace {

constexpr absl::Duration kGraceForCalls = absl::Seconds(10);

// After an execution is durable, and after all of a run has been sent.
std::function<void()> OnRecorded(const WorkSignals& work) {
  return [&work] { work.JobsAdded(); };
}

std::function<void()> OnFinished(const WorkSignals& work) {
  return [&work] {
    work.JobsAdded();
    work.ReportsDue();
  };
}

collector::CollectorService::Options CollectorOptionsOf(const ServerContext& context,
                                                        collector::Quotas& quotas) {
  collector::CollectorService::Options options;
  options.quotas = &quotas;
  options.decoding = &context.decoding;
  options.on_recorded = OnRecorded(context.work);
  options.on_finished = OnFinished(context.work);
  return options;
}

collector::CacheOptions CacheOptionsOf(const LimitOptions& limits, collector::Quotas& quotas) {
  collector::CacheOptions options;
  options.limits.blob_bytes = limits.transfer_mib << 20;
  options.limits.project_bytes = limits.transfers_mib << 20;
  options.quotas = &quotas;
  return options;
}

void AddMethods(std::vector<collector::Method> more, std::vector<collector::Method>& methods) {
  for (collector::Method& method : more) methods.push_back(std::move(method));
}

// As --role names them.
std::string NamesOf(const ServedRoles& roles) {
  std::vector<absl::string_view> names;
  for (const auto& [has, role] :
       {std::pair(roles.collector, "collector"), std::pair(roles.worker, "worker"),
        std::pair(roles.query, "query"), std::pair(roles.reporter, "reporter")}) {
    if (has) names.push_back(role);
  }
  return absl::StrJoin(names, ", ");
}

}  // namespace

Services::Services(const ServerContext& context, const ServedRoles& roles, ServiceOptions options,
                   AccessControl& access)
    : context_(context),
      roles_(roles),
      options_(std::move(options)),
      access_(access),
      collector_(context.store.store.blobs, context.store.store.ingest, context.store.store.reading,
                 CollectorOptionsOf(context, access.quotas())),
      cache_(context.store.transfers, CacheOptionsOf(options_.limits, access.quotas())) {}

Services::~Services() = default;

absl::Status Services::Start() {
  ASSIGN_OR_RETURN(others_, OtherServices::Make(options_.other_services));
  caches_.emplace(others_->caches());
  if (roles_.collector) StartBuildEvents();
  if (roles_.query) {
    ASSIGN_OR_RETURN(read_source_, SourceReaderOf(options_.pages, options_.forges));
  }
  context_.observing.AddSampler([this](std::vector<Sample>& samples) {
    SampleCache(cache_.not_taken(), samples);
    SampleDecoding(context_.decoding, samples);
    others_->AddSamples(samples);
  });
  return absl::OkStatus();
}

void Services::StartBuildEvents() {
  collector::BuildEventService::Options events;
  events.recheck = access_.access().recheck;
  events.on_recorded = OnRecorded(context_.work);
  events.on_finished = OnFinished(context_.work);
  events.limits.first = absl::Seconds(options_.listen.max_silence_seconds);
  events.forwarder_of = others_->forwarder_of();
  build_events_ = std::make_unique<collector::BuildEventService>(
      context_.store.store.invocations, collector_.uploads(),
      collector::ReadAlsoFrom(*caches_, collector::ReadFrom(context_.store.transfers)), events);
}

void Services::Drain() {
  if (caches_.has_value()) caches_->Stop();
  if (build_events_ != nullptr) build_events_->Stop();
}

void Services::Stop() { build_events_.reset(); }

absl::StatusOr<std::vector<collector::Method>> Services::Methods() {
  std::vector<collector::Method> methods;
  if (roles_.collector) {
    AddMethods(collector_.Methods(), methods);
    AddMethods(cache_.Methods(), methods);
    AddMethods(build_events_->Methods(), methods);
  }
  if (roles_.query) {
    const store::Store& store = context_.store.store;
    ASSIGN_OR_RETURN(std::vector<collector::Method> queries,
                     QueryMethods(store.reading, store.blobs, context_.decoding, store.gate,
                                  read_source_, options_.comparison_url));
    AddMethods(std::move(queries), methods);
  }
  return methods;
}

CallListener::CallListener(const ServerContext& context, const ServedRoles& roles,
                           const ListenOptions& options, ListenAddress address,
                           collector::AsOf as_of, AccessControl& access, Services& services)
    : context_(context),
      roles_(roles),
      options_(options),
      address_(std::move(address)),
      as_of_(std::move(as_of)),
      access_(access),
      services_(services) {}

CallListener::~CallListener() = default;

absl::Status CallListener::Start() {
  ASSIGN_OR_RETURN(std::vector<collector::Method> methods, services_.Methods());
  if (methods.empty()) {
    std::cout << "working" << std::endl;
    return absl::OkStatus();
  }
  const absl::Duration max_silence = absl::Seconds(options_.max_silence_seconds);
  GrpcServer::Options limits;
  limits.connections = options_.connections;
  limits.certificates = access_.certificates();
  limits.calls.patience.first = max_silence;
  limits.calls.patience.most = 4 * max_silence;
  limits.calls.look_every = std::min(limits.calls.look_every, max_silence / 4);
  limits.calls.decoding = &context_.decoding;
  limits.calls.roles = NamesOf(roles_);
  limits.calls.as_of = as_of_;
  limits.calls.on_ended = context_.metrics.OnCall();
  limits.is_serving = [&observing = context_.observing](const std::string& service) {
    return observing.IsServing(service);
  };
  ASSIGN_OR_RETURN(server_,
                   GrpcServer::Start(address_, std::move(methods), access_.access(), limits));
  std::cout << "listening on " << server_->address().ToString() << std::endl;
  context_.observing.AddLifeSign("calls", [this] { return server_->CheckAlive(); });
  context_.observing.AddSampler([this](std::vector<Sample>& samples) {
    SampleConnections(*server_->connections(), server_->open_calls(), samples);
  });
  return absl::OkStatus();
}

void CallListener::Stop() {
  if (server_ != nullptr) server_->Stop(kGraceForCalls);
  server_.reset();
}

std::optional<ListenAddress> CallListener::address() const {
  if (server_ == nullptr) return std::nullopt;
  return server_->address();
}

PageListener::PageListener(const ServerContext& context, const PageOptions& options,
                           const ForgeOptions& forges, std::string picture_key,
                           uint64_t cache_bytes, collector::AsOf as_of, AccessControl& access,
                           const Services& services, const CallListener& calls)
    : context_(context),
      options_(options),
      forges_(forges),
      picture_key_(std::move(picture_key)),
      cache_bytes_(cache_bytes),
      as_of_(std::move(as_of)),
      access_(access),
      services_(services),
      calls_(calls) {}

PageListener::~PageListener() = default;

absl::Status PageListener::Start() {
  const store::Store& store = context_.store.store;
  ASSIGN_OR_RETURN(pages_,
                   StartPages(options_, forges_, picture_key_,
                              {store.reading, store.blobs, store.gate, store.invocations,
                               std::make_shared<PageMemory>(cache_bytes_)},
                              services_.read_source(), access_.access(), context_.decoding,
                              services_.takes_uploads() ? calls_.address() : std::nullopt, as_of_));
  if (pages_ != nullptr) {
    std::cout << "pages on http://" << pages_->address().ToString() << "/" << std::endl;
  }
  return absl::OkStatus();
}

void PageListener::Stop() { pages_.reset(); }

}  // namespace gprofhub::server
