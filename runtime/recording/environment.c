/* An emulator of processes pretends that the program is the process's executable: it answers for
 * /proc/self/exe itself. The kernel answers for /proc/thread-self/exe, where the executable is the
 * emulator (QEMU, Valgrind). Without an emulator both have one name. */
#include "runtime/base/config.h"
#include "runtime/base/syscalls.h"
#include "runtime/base/text.h"
#include "runtime/processor/features.h"
#include "runtime/recording/recording.h"

enum { MOST_PROCESSORS = 8192, LINK_BYTES = 1024 };

static struct gprofhub_environment known;

/* The last component of the path that the link has; empty if it cannot be read. */
static const char* linked_name(const char* link, char path[LINK_BYTES]) {
  const long length = GH_READLINK(link, path, LINK_BYTES - 1);
  path[GH_FAILED(length) ? 0 : length] = 0;
  return gh_base_name(path);
}

static const char* emulator(void) {
  static char claimed[LINK_BYTES], executed[LINK_BYTES], again[LINK_BYTES];
  const char* const by_processor = gh_processor_emulator();
  const char* const name = linked_name("/proc/self/exe", claimed);
  const char* const actual = linked_name("/proc/thread-self/exe", executed);
  if (!*name || !*actual || gh_equal(name, actual)) return by_processor ? by_processor : "";
  /* The file may have been renamed or removed meanwhile. */
  return gh_equal(name, linked_name("/proc/self/exe", again)) ? actual : "";
}

static uint32_t allowed_processors(void) {
  uint64_t mask[MOST_PROCESSORS / 64];
  const long bytes = GH_CALL3(sched_getaffinity, 0, sizeof mask, mask);
  uint32_t count = 0;
  for (long i = 0; !GH_FAILED(bytes) && i < bytes / (long)sizeof mask[0]; ++i) {
    for (; mask[i]; mask[i] &= mask[i] - 1) ++count;
  }
  return count;
}

static void add_feature(void* features, const char* name) {
  struct gh_text* const text = features;
  if (text->length) gh_put(text, " ");
  gh_put(text, name);
}

void gh_describe_environment(struct gprofhub_environment* to) {
  if (!known.architecture[0]) {
    struct gh_text text = gh_text_in(known.emulator, sizeof known.emulator);
    gh_put(&text, emulator());
    _Static_assert(sizeof known.processor >= GH_PROCESSOR_NAME_BYTES, "room for the name");
    gh_processor_name(known.processor);
    text = gh_text_in(known.features, sizeof known.features);
    gh_processor_features(add_feature, &text);
    text = gh_text_in(known.tunables, sizeof known.tunables);
    gh_put(&text, gh_config.tunables);
    known.processors = allowed_processors();
    text = gh_text_in(known.architecture, sizeof known.architecture);
    gh_put(&text, gh_architecture);
  }
  gh_copy(to, &known, sizeof known);
}

int gh_is_emulated(void) { return known.emulator[0] != 0; }
