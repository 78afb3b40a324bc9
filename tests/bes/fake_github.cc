// A GitHub on loopback for scripts. It prints its address, and serves until it is killed.
//
//   fake_github HEAD COMMIT_ON_MAIN...
//
// It has one pull request: acme/db#17, whose head is HEAD.
#include <unistd.h>

#include <iostream>
#include <memory>
#include <string>

#include "reporter/testing/fake_forge.h"

int main(int count, char** words) {
  if (count < 2) {
    std::cerr << "usage: fake_github HEAD COMMIT_ON_MAIN...\n";
    return 2;
  }
  const std::unique_ptr<gprofhub::reporter::FakeForge> github =
      gprofhub::reporter::MakeFakeGitHub(/*app=*/false);
  github->head = words[1];
  github->commits_on_main.assign(words + 2, words + count);
  github->page_size = 100;
  std::cout << "listening on " << github->url() << std::endl;
  pause();
}
