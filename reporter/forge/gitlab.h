// GitLab, 15.7 or newer, through version 4 of its REST API (docs.gitlab.com/ee/api/rest).
#pragma once

#include <memory>
#include <string>

#include "base/http/http.h"
#include "reporter/forge/forge.h"
#include "reporter/forge/rest.h"

namespace gprofhub::reporter {

struct GitLabOptions {
  std::string base_url = "https://gitlab.com/api/v4";
  std::string project;  // "group/name"
  std::string token;    // scope api, role Developer or higher
};

std::unique_ptr<Forge> MakeGitLab(GitLabOptions options, base::HttpClient http, ForgeClock clock);

}  // namespace gprofhub::reporter
