/* Registers threads when they start (pthread_hook.c). */
#ifndef GPROFHUB_RUNTIME_PROCESS_PTHREAD_HOOK_H_
#define GPROFHUB_RUNTIME_PROCESS_PTHREAD_HOOK_H_

/* Effective only if the linker took the hook as its pthread_create, to which only that name
 * refers: a program with its own pthread_create keeps it. */
extern const char gh_pthread_hook __attribute__((weak, visibility("hidden")));

#endif
