// A kernel that never ends by itself: it serves requests until it is told to stop.
//
// Requests are numbers in a queue in device memory. A CTA draws a ticket, waits until the host has
// queued that many, computes, and writes the answer. Each request is a task.
#include <lanescope/cuda.cuh>

struct Queue {
    unsigned queued; // by the host
    unsigned stop;   // by the host
    unsigned next;   // ticket, by the CTAs
    unsigned served;
};

extern "C" __global__ void server(volatile Queue *queue, const float *requests, float *answers,
                                  unsigned steps, unsigned func, unsigned long long handle)
{
    __shared__ unsigned ticket;
    __shared__ int go;
    lanescope::Lane lane = lanescope::per_block(handle);
    for (;;) {
        if (threadIdx.x == 0) {
            ticket = atomicAdd((unsigned *)&queue->next, 1u);
            while (queue->queued <= ticket && !queue->stop)
                __nanosleep(500);
            go = queue->queued > ticket;
            __threadfence();
        }
        __syncthreads();
        if (!go)
            return;
        lane.begin(ticket, func);
        float value = requests[ticket];
        for (unsigned step = 0; step < steps; step++)
            value = value * 0.5f + 1.0f;
        __syncthreads();
        if (threadIdx.x == 0) {
            answers[ticket] = value;
            atomicAdd((unsigned *)&queue->served, 1u);
        }
        lane.end();
        __syncthreads();
    }
}
