// Listens for forges' webhooks, from whoever reaches the port (cli/listen/http_peers.h).
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
  // For so long and so many a request that comes again is refused.
  absl::Duration remember_for = absl::Hours(24);
  size_t remember = 10000;
  std::function<absl::Time()> now = absl::Now;
  // Is told of each answer's code; must not block.
  std::function<void(int code)> on_answered = [](int) {};
};

class HookListener {
 public:
  // Is told of a comment. NOT_FOUND: not a repository of ours. Called from several threads.
  using OnComment = std::function<absl::Status(const reporter::HookComment&)>;

  // Listens until destruction. Errors are ListenOn's.
  //
  // POST to "/" only. The answers: 204 taken, or nothing to do; 400 not what the event is; 401 the
  // secret is not known; 404 no repository of ours, or another path; 409 it came before; 411 no
  // length; 413 too long; 415 packed; 503 the store has trouble, try again.
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
