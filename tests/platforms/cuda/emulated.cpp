// The megakernel without a GPU: every CTA and the orchestrator are threads of this machine.
#define MEGA_EMULATED 1
#include "scheduler.cuh"
#include "orchestrator.cuh"
#include "worker.cuh"

#include <thread>
#include <vector>

extern "C" void mega_emulate(const ls_mega_job *job)
{
    std::vector<std::thread> threads;
    auto *results = at<ls_mega_result>(job->results);
    for (uint32_t block = 0; block < job->scheduler_count + job->worker_count; block++)
        threads.emplace_back([=] {
            std::vector<uint64_t> memory(job->shared_bytes / sizeof(uint64_t) + 1);
            auto *bytes = (uint8_t *)memory.data();
            WorkerShared shared = {};
            if (block < job->scheduler_count)
                scheduler_main(job, block, bytes, results + block);
            else
                worker_main(job, block - job->scheduler_count, bytes, &shared, results + block);
        });
    auto *last = results + job->scheduler_count + job->worker_count;
    threads.emplace_back([=] { orchestrator_main(job, last); });
    for (std::thread &thread : threads)
        thread.join();
}
