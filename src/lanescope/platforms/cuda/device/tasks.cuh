/* A task: its stages one after the other through the roles. Each operation says how many stages it has
 * and what the three roles do in one; they meet nowhere else.
 */
#ifndef LANESCOPE_MEGA_TASKS_CUH
#define LANESCOPE_MEGA_TASKS_CUH

#include "attention.cuh"
#include "elementwise.cuh"
#include "hash.cuh"
#include "matmul.cuh"
#include "roles.cuh"

MEGA_FN uint32_t stages_of(const ls_mega_work &work)
{
    switch ((enum ls_mega_op)work.op) {
    case LS_MEGA_SCALE:
    case LS_MEGA_ADD: return elementwise_stages(work);
    case LS_MEGA_MATMUL: return matmul_stages(work);
    case LS_MEGA_QK:
    case LS_MEGA_SF:
    case LS_MEGA_PV:
    case LS_MEGA_UP:
    case LS_MEGA_HASH: return 1;
    }
    return 0; /* not an operation: the task is over without a stage */
}

MEGA_FN void load_stage(const ls_mega_work &work, uint32_t stage, uint32_t rank, float *in)
{
    switch ((enum ls_mega_op)work.op) {
    case LS_MEGA_SCALE:
    case LS_MEGA_ADD: elementwise_load(work, stage, rank, in); break;
    case LS_MEGA_MATMUL: matmul_load(work, stage, rank, in); break;
    case LS_MEGA_HASH: hash_load(work, rank, (uint64_t *)in); break;
    case LS_MEGA_QK:
    case LS_MEGA_SF:
    case LS_MEGA_PV:
    case LS_MEGA_UP: attention_load(work, rank, in); break;
    }
}

MEGA_FN void compute_stage(const ls_mega_work &work, uint32_t stage, uint32_t rank, const float *in,
                           float *out, Accumulators &sums)
{
    switch ((enum ls_mega_op)work.op) {
    case LS_MEGA_SCALE:
    case LS_MEGA_ADD: elementwise_compute(work, rank, in, out); break;
    case LS_MEGA_MATMUL: matmul_compute(work, stage, rank, in, out, sums); break;
    case LS_MEGA_QK: attention_qk(rank, in, out); break;
    case LS_MEGA_SF: attention_sf(rank, in, out); break;
    case LS_MEGA_PV: attention_pv(rank, in, out); break;
    case LS_MEGA_UP: attention_up(work, rank, in, out); break;
    case LS_MEGA_HASH: hash_compute(work, rank, (const uint64_t *)in, (uint64_t *)out); break;
    }
}

MEGA_FN void store_stage(const ls_mega_work &work, uint32_t stage, uint32_t rank, const float *out)
{
    switch ((enum ls_mega_op)work.op) {
    case LS_MEGA_SCALE:
    case LS_MEGA_ADD: elementwise_store(work, stage, rank, out); break;
    case LS_MEGA_MATMUL: matmul_store(work, stage, rank, out); break;
    case LS_MEGA_HASH: hash_store(work, rank, (const uint64_t *)out); break;
    case LS_MEGA_QK:
    case LS_MEGA_SF:
    case LS_MEGA_PV:
    case LS_MEGA_UP: attention_store(work, rank, out); break;
    }
}

/* All threads of the CTA; after it all of them have met, and everything is stored. */
MEGA_FN void run_task(const ls_mega_job *job, uint32_t task, const Place &place, Marks &marks,
                      uint8_t *memory)
{
    const ls_mega_work work = at<ls_mega_work>(job->work)[task];
    uint32_t stages = stages_of(work);
    uint32_t repeats = work.op == LS_MEGA_HASH ? 1 : work.passes; /* a hash counts its passes itself */
    uint32_t count = stages * repeats;
    Accumulators sums;
    marks.task(task, at<uint32_t>(job->func)[task]);
    for (uint32_t step = 0; step < count + 2; step++) {
        float *in = (float *)(memory + step % 2 * LS_MEGA_IN_BYTES);
        float *before = (float *)(memory + (step + 1) % 2 * LS_MEGA_IN_BYTES);
        float *outs = (float *)(memory + 2 * LS_MEGA_IN_BYTES);
        float *out = outs + (step + 1) % 2 * (LS_MEGA_OUT_BYTES / sizeof(float));
        const float *stored = outs + step % 2 * (LS_MEGA_OUT_BYTES / sizeof(float));
        auto mark = marks.begin();
        bool works = false;
        if (has_role(place, ROLE_LOAD) && step < count) {
            load_stage(work, step % stages, place.rank, in);
            works = true;
        }
        if (has_role(place, ROLE_COMPUTE) && step >= 1 && step <= count) {
            compute_stage(work, (step - 1) % stages, place.rank, before, out, sums);
            works = true;
        }
        if (has_role(place, ROLE_STORE) && step >= 2) {
            store_stage(work, (step - 2) % stages, place.rank, stored);
            works = true;
        }
        if (works)
            marks.end(mark);
        sync_block();
    }
}

#endif
