// GitHub and GitHub Enterprise Server through the REST API, version 2022-11-28
// (docs.github.com/rest).
#pragma once

#include <memory>
#include <string>
#include <variant>

#include "base/http/http.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/github_auth.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

struct GitHubOptions {
  std::string base_url = "https://api.github.com";
  std::string repository;  // "owner/name"
  // A token, or an App's key. Only Apps may create check runs with annotations. With a token the
  // result is a commit status.
  std::variant<std::string, GitHubApp> credentials;
};

std::unique_ptr<Forge> MakeGitHub(GitHubOptions options, base::HttpClient http, ForgeClock clock);

}  // namespace gprofhub::reporter
