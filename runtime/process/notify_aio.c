/* libc keeps a control block's event in the program's memory until the end, so it is changed in
 * place. struct aiocb64 is the same as struct aiocb. */
#include <aio.h>

#include "runtime/process/notifications.h"

#define WRAP_ONE(name)                       \
  GH_WRAP(name, (struct aiocb * block), {    \
    gh_notify_counted(&block->aio_sigevent); \
    return __real_##name(block);             \
  })

WRAP_ONE(aio_read)
WRAP_ONE(aio_read64)
WRAP_ONE(aio_write)
WRAP_ONE(aio_write64)

#define WRAP_SYNC(name)                                 \
  GH_WRAP(name, (int operation, struct aiocb* block), { \
    gh_notify_counted(&block->aio_sigevent);            \
    return __real_##name(operation, block);             \
  })

WRAP_SYNC(aio_fsync)
WRAP_SYNC(aio_fsync64)

#define WRAP_LIST(name)                                                                      \
  GH_WRAP(name, (int mode, struct aiocb* const list[], int count, struct sigevent* event), { \
    struct sigevent own;                                                                     \
    for (int i = 0; i < count; ++i) {                                                        \
      if (list[i]) gh_notify_counted(&list[i]->aio_sigevent);                                \
    }                                                                                        \
    return __real_##name(mode, list, count, gh_counted_event(&own, event));                  \
  })

WRAP_LIST(lio_listio)
WRAP_LIST(lio_listio64)
