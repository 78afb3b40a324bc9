// For tests that upload single files to a server in this process, and query them there.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "cli/testing/command_line.h"
#include "cli/testing/command_server.h"

namespace gprofhub::cli {

// `upload`, and all commands that query profiles: runs, report, diff, trend, listing, order.
CommandResult RunUploadOrQuestion(const std::vector<std::string>& words);

class UploadsTest : public testing::Test {
 protected:
  void SetUp() override;

  CommandResult Ask(const std::vector<std::string>& words);

  // Uploads files of `image` as a run of the main branch at a commit of one digit, and analyses
  // it.
  CommandResult Upload(const std::string& target, const std::string& image, char commit,
                       const std::vector<std::string>& files,
                       const std::vector<std::string>& more = {});

  std::filesystem::path folder_;
  std::unique_ptr<CommandServer> server_;
};

}  // namespace gprofhub::cli
