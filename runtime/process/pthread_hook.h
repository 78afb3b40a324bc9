/* Threads are met where they begin (pthread_hook.c). */
#ifndef GPROFHUB_RUNTIME_PROCESS_PTHREAD_HOOK_H_
#define GPROFHUB_RUNTIME_PROCESS_PTHREAD_HOOK_H_

/* Does nothing: a call makes the linker take the file that hooks pthread_create. */
__attribute__((visibility("hidden"))) void gh_pthread_hook(void);

#endif
