#include "analyzer/worker/limits.h"

#include <malloc.h>
#include <sched.h>
#include <seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <new>

#include "absl/strings/str_cat.h"

namespace gprofhub::analyzer {

namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool kSanitized = true;
#elif defined(__has_feature)
constexpr bool kSanitized = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool kSanitized = false;
#endif

// Makes this process the first victim of the kernel's out-of-memory killer.
void OfferToBeKilled() {
  if (std::FILE* const file = std::fopen("/proc/self/oom_score_adj", "w"); file != nullptr) {
    std::fputs("1000", file);
    std::fclose(file);
  }
}

uint64_t MappedBytes() {
  unsigned long long pages = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  if (file == nullptr) return 0;
  if (std::fscanf(file, "%llu", &pages) != 1) pages = 0;
  std::fclose(file);
  return pages * static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
}

void Limit(int resource, rlim_t most) {
  const rlimit limit = {most, most};
  setrlimit(static_cast<__rlimit_resource_t>(resource), &limit);
}

using Filter = std::unique_ptr<void, void (*)(scmp_filter_ctx)>;

// System calls for threads, memory and time, and those that end a process.
constexpr std::initializer_list<int> kAllowed = {
    SCMP_SYS(brk),
    SCMP_SYS(clock_gettime),
    SCMP_SYS(clock_nanosleep),
    SCMP_SYS(exit),
    SCMP_SYS(exit_group),
    SCMP_SYS(futex),
    SCMP_SYS(getpid),
    SCMP_SYS(getrandom),
    SCMP_SYS(gettid),
    SCMP_SYS(gettimeofday),
    SCMP_SYS(madvise),
    SCMP_SYS(mremap),
    SCMP_SYS(munmap),
    SCMP_SYS(nanosleep),
    SCMP_SYS(restart_syscall),
    SCMP_SYS(rseq),
    SCMP_SYS(rt_sigaction),
    SCMP_SYS(rt_sigprocmask),
    SCMP_SYS(rt_sigreturn),
    SCMP_SYS(sched_getaffinity),
    SCMP_SYS(sched_yield),
    SCMP_SYS(set_robust_list),
};

// System calls that libraries try but do not need.
constexpr std::initializer_list<int> kRefused = {
    SCMP_SYS(openat), SCMP_SYS(open),      SCMP_SYS(newfstatat), SCMP_SYS(readlink),
    SCMP_SYS(access), SCMP_SYS(sysinfo),   SCMP_SYS(ioctl),      SCMP_SYS(getcwd),
    SCMP_SYS(prctl),  SCMP_SYS(prlimit64), SCMP_SYS(fstat),      SCMP_SYS(close),
};

// An argument of a call that is `value`.
scmp_arg_cmp Is(unsigned argument, scmp_datum_t value) { return {argument, SCMP_CMP_EQ, value, 0}; }

// An argument of a call whose bits in `mask` are those of `value`.
scmp_arg_cmp HasBits(unsigned argument, scmp_datum_t mask, scmp_datum_t value) {
  return {argument, SCMP_CMP_MASKED_EQ, mask, value};
}

// 0, or the error of libseccomp.
int AddRules(scmp_filter_ctx filter, int socket) {
  int error = 0;
  const auto allow = [&](int call, std::initializer_list<scmp_arg_cmp> conditions) {
    const int added = seccomp_rule_add_array(
        filter, SCMP_ACT_ALLOW, call, static_cast<unsigned>(conditions.size()), conditions.begin());
    if (added != 0) error = added;
  };
  for (const int call : kAllowed) allow(call, {});
  for (const int call : kRefused) {
    const int added = seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), call, 0);
    if (added != 0) error = added;
  }
  const auto channel = static_cast<scmp_datum_t>(socket);
  allow(SCMP_SYS(recvfrom), {Is(0, channel)});
  allow(SCMP_SYS(sendto), {Is(0, channel)});
  // Calls of abort(), whose message goes to /dev/null.
  allow(SCMP_SYS(write), {Is(0, STDERR_FILENO)});
  allow(SCMP_SYS(writev), {Is(0, STDERR_FILENO)});
  allow(SCMP_SYS(tgkill), {Is(0, static_cast<scmp_datum_t>(getpid()))});
  // Anonymous memory that is not executable.
  allow(SCMP_SYS(mmap), {HasBits(2, PROT_EXEC, 0), HasBits(3, MAP_ANONYMOUS, MAP_ANONYMOUS)});
  allow(SCMP_SYS(mprotect), {HasBits(2, PROT_EXEC, 0)});
  // Threads, not processes. A filter cannot inspect the arguments of clone3. Without clone3 the C
  // library uses clone.
  allow(SCMP_SYS(clone), {HasBits(0, CLONE_THREAD, CLONE_THREAD)});
  const int added = seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
  return added != 0 ? added : error;
}

absl::Status FilterCalls(int socket) {
  const Filter filter(seccomp_init(SCMP_ACT_KILL_PROCESS), seccomp_release);
  if (filter == nullptr) return absl::UnavailableError("libseccomp cannot create a filter");
  int error = seccomp_attr_set(filter.get(), SCMP_FLTATR_CTL_TSYNC, 1);
  if (error == 0) error = AddRules(filter.get(), socket);
  if (error == 0) error = seccomp_load(filter.get());
  if (error == 0) return absl::OkStatus();
  return absl::UnavailableError(absl::StrCat("seccomp: ", std::strerror(-error)));
}

}  // namespace

absl::Status EnterLimits(int socket, uint64_t memory) {
  std::set_new_handler([] { _exit(kExitNoMemory); });
  OfferToBeKilled();
  Limit(RLIMIT_CORE, 0);
  Limit(RLIMIT_FSIZE, 0);
  if (kSanitized) return absl::OkStatus();
  // Each arena takes 64 MiB of address space, however little is in it.
  mallopt(M_ARENA_MAX, 1);
  const uint64_t mapped = MappedBytes();
  Limit(RLIMIT_NOFILE, static_cast<rlim_t>(socket) + 1);
  Limit(RLIMIT_AS, mapped + memory);
  return FilterCalls(socket);
}

}  // namespace gprofhub::analyzer
