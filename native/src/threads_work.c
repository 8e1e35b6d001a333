/* What tasks of the thread platform do while they run. */
#include "threads_platform.h"

#include <string.h>

#define COPY_CHUNK_BYTES ((uint64_t)256 << 10) /* a longer copy goes round in it */

static void spin(const ls_platform *platform, uint64_t ns)
{
    uint64_t start = LS_CLOCK();
    uint64_t cycles = (uint64_t)((double)ns * (double)platform->job->clock_hz / 1e9);
    while (LS_CLOCK() - start < cycles)
        ;
}

static void copy(uint8_t *scratch, uint64_t bytes)
{
    uint64_t half = bytes < COPY_CHUNK_BYTES ? bytes : COPY_CHUNK_BYTES;
    for (uint64_t left = bytes; left > 0;) {
        uint64_t piece = left < half ? left : half;
        memcpy(scratch + half, scratch, piece);
        __asm__ volatile("" ::: "memory"); /* every copy is made */
        left -= piece;
    }
}

static void multiply(float *scratch, uint64_t n)
{
    const float *a = scratch, *b = a + n * n;
    float *product = scratch + 2 * n * n;
    for (uint64_t i = 0; i < n; i++) {
        float *row = product + i * n;
        memset(row, 0, n * sizeof *row);
        for (uint64_t k = 0; k < n; k++) {
            float factor = a[i * n + k];
            for (uint64_t j = 0; j < n; j++)
                row[j] += factor * b[k * n + j];
        }
    }
    __asm__ volatile("" ::: "memory");
}

size_t ls_work_bytes(uint32_t work, uint64_t amount)
{
    switch ((enum ls_work)work) {
    case LS_WORK_NONE:
    case LS_WORK_SPIN:
    case LS_WORK_CALLBACK: return 0;
    case LS_WORK_COPY: return 2 * (amount < COPY_CHUNK_BYTES ? amount : COPY_CHUNK_BYTES);
    case LS_WORK_MATMUL:
        return amount <= LS_MOST_MATMUL_ROWS ? 3 * amount * amount * sizeof(float) : SIZE_MAX;
    }
    return SIZE_MAX;
}

void ls_work_run(const ls_platform *platform, const ls_post *post, uint32_t core, void *scratch)
{
    const ls_threads_job *job = platform->job;
    uint64_t amount = platform->amount[post->task];
    switch ((enum ls_work)platform->work[post->task]) { /* others: ls_work_bytes had them refused */
    case LS_WORK_NONE: break;
    case LS_WORK_SPIN: spin(platform, amount); break;
    case LS_WORK_COPY: copy(scratch, amount); break;
    case LS_WORK_MATMUL: multiply(scratch, amount); break;
    case LS_WORK_CALLBACK:
        ((ls_work_callback)(uintptr_t)job->callback)(post->task, post->func, core,
                                                     (void *)(uintptr_t)job->user);
        break;
    }
}
