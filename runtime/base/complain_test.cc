#include <errno.h>
#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <cstring>
#include <string>

#include "profile/format/recording.h"

extern "C" {
#include "runtime/base/complain.h"
#include "runtime/base/config.h"
}

namespace {

// Must be the first test: reported subjects stay reported for the whole process.
TEST(Complaints, AreOneLineForEachSubject) {
  std::strcpy(gh_config.program, "/usr/bin/program");
  ::testing::internal::CaptureStderr();
  gh_complain_begin();
  gh_complain(GH_RECORDING, "counts are lost", "the disk is full");
  gh_complain(GH_RECORDING, "counts are lost", "again");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(),
            "gprofhub: program: counts are lost: the disk is full\n");

  const std::string detail(100'000, 'd');
  ::testing::internal::CaptureStderr();
  gh_complain_begin();
  gh_complain(GH_GMON, "the profile cannot be written", detail.c_str());
  gh_complain(GH_RECORDING, "counts are lost", "");
  const std::string line = ::testing::internal::GetCapturedStderr();
  EXPECT_LT(line.size(), detail.size());
  EXPECT_EQ(line.find('\n'), line.size() - 1);
  EXPECT_EQ(line.substr(0, 50), "gprofhub: program: the profile cannot be written: ");
}

TEST(Complaints, AreNotWrittenIntoAnotherFile) {
  gh_complain_begin();
  ::testing::internal::CaptureStderr();
  gh_complain(GH_DUMP, "no dump", "");
  EXPECT_EQ(::testing::internal::GetCapturedStderr(), "");
}

TEST(Complaints, LeaveTheProgramsPendingSignals) {
  int ends[2];
  ASSERT_EQ(pipe(ends), 0);
  close(ends[0]);
  const int before = dup(2);
  dup2(ends[1], 2);
  gh_complain_begin();
  gh_complain(GH_EVENTS, "none", "");  // SIGPIPE would end the test
  sigset_t pipe_only, pending;
  sigemptyset(&pipe_only);
  sigaddset(&pipe_only, SIGPIPE);
  pthread_sigmask(SIG_BLOCK, &pipe_only, nullptr);
  raise(SIGPIPE);
  gh_complain(GH_WAITING, "none", "");
  dup2(before, 2);
  sigpending(&pending);
  EXPECT_TRUE(sigismember(&pending, SIGPIPE));
  const timespec none{};
  EXPECT_EQ(sigtimedwait(&pipe_only, nullptr, &none), SIGPIPE);
}

TEST(Reasons, AreInWords) {
  EXPECT_STREQ(gh_reason(-ENOSPC), "the disk is full");
  EXPECT_STREQ(gh_reason(-EROFS), "the directory is not writable");
  EXPECT_STREQ(gh_reason(-EFBIG), "the file size limit (ulimit -f) is reached");
  EXPECT_STREQ(gh_reason(-EIO), "cannot create or extend the file");
  EXPECT_STREQ(gh_reason(0), "cannot create or extend the file");
}

}  // namespace
