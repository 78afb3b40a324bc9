/* Threads are met where they begin (pthread_hook.c). */
#ifndef GPROFHUB_RUNTIME_PROCESS_PTHREAD_HOOK_H_
#define GPROFHUB_RUNTIME_PROCESS_PTHREAD_HOOK_H_

/* Only where the linker took the hook. It takes it for its pthread_create, which nothing but that
 * name asks for: so a program that has a pthread_create of its own keeps it. */
extern const char gh_pthread_hook __attribute__((weak, visibility("hidden")));

#endif
