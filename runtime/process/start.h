/* The runtime's own beginning, for whoever is first to need it. */
#ifndef GPROFHUB_RUNTIME_PROCESS_START_H_
#define GPROFHUB_RUNTIME_PROCESS_START_H_

/* Begins the recording and meets the calling thread; once, later calls do nothing. */
__attribute__((visibility("hidden"))) void gh_start(void);

#endif
