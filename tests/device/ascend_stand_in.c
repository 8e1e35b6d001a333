/* A stand-in for libascendcl and libascend_hal, and a device behind them that records.
 *
 * Device memory has two addresses: the one of the device, at which the host finds nothing, and the one
 * that halHostRegister gives. Copies go word by word, backwards. Each misuse gets the code that the
 * vendor's libraries give; stand_in_log() has all calls in their order.
 */
#define _GNU_SOURCE
#include "lanescope/clock.h"
#include "lanescope/lanescope.h"

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define DEVICE_SPACE UINT64_C(0x120000000000) /* nothing of the host lies there */
#define MOST_BLOCKS 16

typedef struct {
    uint64_t device;
    uint8_t *real;
    uint8_t *host; /* where it is mapped for the host; NULL: it is not */
    uint64_t size;
    int file;
} block;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static __thread int context; /* number of the device, plus 1; 0: this thread has none */
static block blocks[MOST_BLOCKS];
static int initialised, maps, fail_code, device_count, driver_id, misalign;
static char fail_in[64], calls[1 << 16];
static uint64_t next_address;

void stand_in_reset(int can_map, int devices, int driver)
{
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].size) {
            munmap(blocks[i].real, blocks[i].size);
            if (blocks[i].host)
                munmap(blocks[i].host, blocks[i].size);
            close(blocks[i].file);
        }
    memset(blocks, 0, sizeof blocks);
    initialised = fail_code = context = misalign = 0;
    maps = can_map;
    device_count = devices;
    driver_id = driver;
    fail_in[0] = calls[0] = 0;
    next_address = DEVICE_SPACE;
}

/* From now on every call of this function fails with this code; 0: none does. */
void stand_in_fail(const char *function, int code)
{
    pthread_mutex_lock(&lock);
    snprintf(fail_in, sizeof fail_in, "%s", function);
    fail_code = code;
    pthread_mutex_unlock(&lock);
}

/* The next memory begins so many bytes behind a page. */
void stand_in_misalign(int bytes) { misalign = bytes; }

void stand_in_set_context(int device) { context = device + 1; }

const char *stand_in_log(void) { return calls; }

static int noted(const char *function, const char *format, ...)
{
    pthread_mutex_lock(&lock);
    size_t used = strlen(calls);
    if (used < sizeof calls - 256) {
        va_list values;
        va_start(values, format);
        used += (size_t)snprintf(calls + used, 64, "%s ", function);
        used += (size_t)vsnprintf(calls + used, 128, format, values);
        snprintf(calls + used, 2, "\n");
        va_end(values);
    }
    int code = strcmp(fail_in, function) == 0 ? fail_code : 0;
    pthread_mutex_unlock(&lock);
    return code;
}

#define BEGIN(...)                                                                                 \
    do {                                                                                           \
        int injected = noted(__func__, __VA_ARGS__);                                               \
        if (injected)                                                                              \
            return injected;                                                                       \
    } while (0)
#define NEED_CONTEXT()                                                                             \
    do {                                                                                           \
        if (!initialised)                                                                          \
            return 100001;                                                                         \
        if (!context)                                                                              \
            return 107002;                                                                         \
    } while (0)

static block *block_of(uint64_t address, uint64_t size)
{
    for (int i = 0; i < MOST_BLOCKS; i++)
        if (blocks[i].size && address >= blocks[i].device
            && address + size <= blocks[i].device + blocks[i].size)
            return &blocks[i];
    return NULL;
}

int aclInit(const char *config)
{
    BEGIN("%s", config ? config : "NULL");
    if (initialised)
        return 100002;
    initialised = 1;
    return 0;
}

int aclFinalize(void)
{
    BEGIN("%s", "");
    return 0;
}

int aclrtSetDevice(int32_t device)
{
    BEGIN("%d", device);
    if (!initialised)
        return 100001;
    if (device < 0 || device >= device_count)
        return 107001;
    context = device + 1;
    return 0;
}

int aclrtResetDevice(int32_t device)
{
    BEGIN("%d", device);
    return 0;
}

int aclrtGetDevice(int32_t *device)
{
    BEGIN("%s", "");
    NEED_CONTEXT();
    *device = context - 1;
    return 0;
}

int aclrtGetCurrentContext(void **found)
{
    BEGIN("%s", "");
    if (!context)
        return 107002;
    *found = (void *)(uintptr_t)(0x1000 + context);
    return 0;
}

int aclrtSetCurrentContext(void *given)
{
    BEGIN("%s", "");
    if ((uintptr_t)given <= 0x1000)
        return 107017;
    context = (int)((uintptr_t)given - 0x1000);
    return 0;
}

int aclrtMalloc(void **pointer, size_t size, int policy)
{
    BEGIN("%zu %d", size, policy);
    NEED_CONTEXT();
    if (!size || policy < 0 || policy > 2)
        return 100000;
    for (int i = 0; i < MOST_BLOCKS; i++) {
        if (blocks[i].size)
            continue;
        block *own = &blocks[i];
        own->file = memfd_create("device", 0);
        if (own->file < 0 || ftruncate(own->file, (off_t)size))
            return 207001;
        own->size = size;
        own->real = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, own->file, 0);
        memset(own->real, 0xEE, size); /* what was there before */
        own->device = next_address + (uint64_t)misalign;
        next_address += (size + 0xFFFFF) / 0x100000 * 0x100000;
        *pointer = (void *)own->device;
        return 0;
    }
    return 207001;
}

int aclrtFree(void *pointer)
{
    BEGIN("%s", "");
    NEED_CONTEXT();
    block *own = block_of((uint64_t)pointer, 1);
    if (!own || own->device != (uint64_t)pointer)
        return 107000;
    if (own->host)
        return 507899; /* it is still mapped */
    munmap(own->real, own->size);
    close(own->file);
    own->size = 0;
    return 0;
}

int aclrtMemset(void *pointer, size_t most, int32_t value, size_t count)
{
    BEGIN("%zu %d", count, value);
    NEED_CONTEXT();
    block *own = block_of((uint64_t)pointer, most);
    if (!own || count > most)
        return 107000;
    memset(own->real + ((uint64_t)pointer - own->device), value, count);
    return 0;
}

static void copy_backwards(uint8_t *target, const uint8_t *source, size_t count)
{
    size_t at = count;
    while (at % 8)
        at--, target[at] = source[at];
    while (at) {
        at -= 8;
        uint64_t word = __atomic_load_n((const uint64_t *)(source + at), __ATOMIC_RELAXED);
        __atomic_store_n((uint64_t *)(target + at), word, __ATOMIC_RELAXED);
    }
}

int aclrtMemcpy(void *target, size_t most, const void *source, size_t count, int kind)
{
    BEGIN("%zu %d", count, kind);
    NEED_CONTEXT();
    if (count > most || (kind != 1 && kind != 2))
        return 107000;
    uint64_t device = (uint64_t)(kind == 1 ? target : source);
    block *own = block_of(device, count);
    if (!own)
        return 107016; /* it is no memory of the device */
    if (block_of((uint64_t)(kind == 1 ? source : target), 1))
        return 107016;
    uint8_t *real = own->real + (device - own->device);
    copy_backwards(kind == 1 ? real : target, kind == 1 ? source : real, count);
    return 0;
}

int halHostRegister(void *pointer, uint64_t size, uint32_t flag, uint32_t device, void **host)
{
    BEGIN("%llu %u %u", (unsigned long long)size, flag, device);
    if (!maps || flag != 2)
        return 3;
    if ((int)device != driver_id)
        return 42;
    block *own = block_of((uint64_t)pointer, size);
    if (!own || own->host || (uint64_t)pointer % 4096)
        return 8;
    own->host = mmap(NULL, own->size, PROT_READ | PROT_WRITE, MAP_SHARED, own->file, 0);
    *host = own->host;
    return 0;
}

int halHostUnregister(void *pointer, uint32_t device)
{
    BEGIN("%u", device);
    block *own = block_of((uint64_t)pointer, 1);
    if (!own || !own->host)
        return 8; /* also where the host's address is given */
    if ((int)device != driver_id)
        return 42;
    munmap(own->host, own->size);
    own->host = NULL;
    return 0;
}

/* ---- The device ------------------------------------------------------------------------------ */

static pthread_t device_thread;
static uint64_t device_tasks;

static void *record(void *region)
{
    enum { CORES = 3 };
    ls_core cores[CORES];
    for (uint32_t i = 0; i < CORES; i++)
        ls_core_open(&cores[i], region, i);
    for (uint64_t task = 0; task < device_tasks; task++) {
        ls_core *core = &cores[task % CORES];
        ls_core_receive(core);
        ls_core_begin(core);
        ls_core_end(core, task, (uint32_t)(task / CORES));
    }
    for (uint32_t i = 0; i < CORES; i++)
        ls_core_close(&cores[i]);
    ls_region_stopped(region);
    return NULL;
}

/* Has the device record so many tasks on 3 cores, into the region at an address of the device. */
int stand_in_launch(uint64_t pointer, uint64_t tasks)
{
    block *own = block_of(pointer, sizeof(ls_header));
    if (!own)
        return 1;
    device_tasks = tasks;
    return pthread_create(&device_thread, NULL, record, own->real);
}

void stand_in_join(void) { pthread_join(device_thread, NULL); }
