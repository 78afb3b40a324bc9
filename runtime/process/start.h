/* Start of the runtime, called by its first user. */
#ifndef GPROFHUB_RUNTIME_PROCESS_START_H_
#define GPROFHUB_RUNTIME_PROCESS_START_H_

/* Starts the recording and registers the calling thread; later calls have no effect. */
__attribute__((visibility("hidden"))) void gh_start(void);

#endif
