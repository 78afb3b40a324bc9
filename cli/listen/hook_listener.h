// Listens for forges' webhooks, open to any client (cli/listen/http_peers.h).
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "cli/listen/listen_address.h"
#include "reporter/forge/hooks/hook_request.h"

namespace gprofhub::cli {

struct HookListenerOptions {
  ListenAddress listen;
  std::string secret;
  size_t peers = 32;
  absl::Duration patience = absl::Seconds(10);
  size_t max_body_bytes = 1 << 20;
  // Replay protection: repeated requests are refused for this time, up to this number of requests.
  absl::Duration remember_for = absl::Hours(24);
  size_t remember = 10000;
  std::function<absl::Time()> now = absl::Now;
  // Called with the code of each response; must not block.
  std::function<void(int code)> on_answered = [](int) {};
};

class HookListener {
 public:
  // Called with each comment. NOT_FOUND: unknown repository. Called from several threads.
  using OnComment = std::function<absl::Status(const reporter::HookComment&)>;

  // Listens until destruction. Errors are ListenOn's.
  //
  // POST to "/" only. Responses: 204 accepted, or ignored; 400 malformed event; 401 wrong secret;
  // 404 unknown repository, or another path; 409 replayed; 411 no length; 413 too long; 415
  // compressed; 503 the store has failed, retry.
  static absl::StatusOr<std::unique_ptr<HookListener>> Start(HookListenerOptions options,
                                                             OnComment on_comment);
  ~HookListener();
  HookListener(const HookListener&) = delete;
  HookListener& operator=(const HookListener&) = delete;

  const ListenAddress& address() const;  // with the port that it has

  // From now on this is the secret.
  void SetSecret(std::string secret);

 private:
  class Impl;
  explicit HookListener(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

}  // namespace gprofhub::cli
