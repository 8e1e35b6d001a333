/* The SM's counter laid over the device's clock while the kernel runs.
 *
 * The counter costs ten cycles and moves with every one; the device's clock (globaltimer) is shared by
 * all SMs, costs eighty and moves in steps (32 ns on an H200). So a stamp is the counter on a line, and
 * the line is laid anew every KEEP_CYCLES:
 *
 *   ns ▲            ╱ predicted
 *      │          ╱·  ┐ the reading is up to one step old: the truth lies in here,
 *      │        ╱  ·  ┘ and a line that left it is moved to its border
 *      │      ╱
 *      └────┴──────┴──► cycles
 *         base    reading
 *
 * The rate is that from the first reading to the last; it begins anew where the line was off by more
 * than three steps, for then the SM's clock has changed. How far lines ever were off is kept.
 */
#ifndef LANESCOPE_MEGA_CLOCK_CUH
#define LANESCOPE_MEGA_CLOCK_CUH

#include "machine.cuh"

#define KEEP_CYCLES (UINT64_C(1) << 17)      /* 66 µs at 1.98 GHz */
#define CALIBRATE_CYCLES (UINT64_C(1) << 19) /* 265 µs */
#define RATE_BITS 28                         /* of a rate behind the point */

struct Clock {
    uint64_t base_cycles, base_ns;
    uint64_t start_cycles, start_ns; /* where the rate is taken from */
    uint64_t rate;                   /* ns per cycle, with RATE_BITS behind the point */
    uint64_t step;                   /* of the device's clock */
    uint64_t worst;                  /* ns beyond a step that a line was off */
    uint64_t last;                   /* stamp */
    uint32_t alone;                  /* one thread uses it, and lays it anew when it is due */
};

/* A warp's own. */
#if defined(MEGA_EMULATED)
static inline Clock &own_clock()
{
    static thread_local Clock clock;
    return clock;
}
#else
static __device__ __forceinline__ Clock &own_clock()
{
    __shared__ Clock clocks[LS_MEGA_THREADS / 32];
    return clocks[threadIdx.x / 32];
}
#endif

MEGA_FN uint64_t on_line(const Clock &clock, uint64_t cycles)
{
    return clock.base_ns + ((cycles - clock.base_cycles) * clock.rate >> RATE_BITS);
}

MEGA_FN uint64_t rate_of(uint64_t ns, uint64_t cycles)
{
    return (uint64_t)((double)ns / (double)cycles * (double)(1u << RATE_BITS));
}

/* Where the reading puts the line: as predicted, if that is possible. Stamps use the line for no longer
 * than KEEP_CYCLES, so what it was off after `passed` counts in proportion. */
MEGA_FN uint64_t settled(Clock &clock, uint64_t predicted, uint64_t reading, uint64_t passed)
{
    uint64_t nearest = predicted < reading ? reading
                       : predicted > reading + clock.step ? reading + clock.step : predicted;
    uint64_t off = nearest > predicted ? nearest - predicted : predicted - nearest;
    uint64_t counted = passed > KEEP_CYCLES ? off * KEEP_CYCLES / passed : off;
    if (counted > clock.worst)
        clock.worst = counted;
    if (off > 3 * clock.step) {
        clock.start_cycles = clock.base_cycles;
        clock.start_ns = clock.base_ns;
    }
    return nearest;
}

/* Lays the line anew; returns the time of `at`, which lies between the old base and now. */
MEGA_CALL uint64_t lay_anew(Clock &clock, uint64_t at)
{
    Moment now = moment();
    uint64_t passed = now.cycles - clock.base_cycles, before = clock.base_ns;
    uint64_t ns = settled(clock, on_line(clock, now.cycles), now.ns, passed);
    double share = (double)(at - clock.base_cycles) / (double)passed;
    uint64_t at_ns = before + (uint64_t)((double)(ns - before) * share);
    clock.rate = rate_of(ns - clock.start_ns, now.cycles - clock.start_cycles);
    clock.base_cycles = now.cycles;
    clock.base_ns = ns;
    return at_ns;
}

MEGA_FN bool is_due(const Clock &clock)
{
    return unit_cycles() - clock.base_cycles > KEEP_CYCLES;
}

/* For whoever has nothing else to do. */
MEGA_FN void keep_clock()
{
    Clock &clock = own_clock();
    if (clock.rate != 0 && is_due(clock))
        (void)lay_anew(clock, clock.base_cycles);
}

/* A stamp. Compiled for the host, too, because the functions of record.h are. */
MEGA_BOTH uint64_t mega_now()
{
#if defined(__CUDA_ARCH__) || defined(MEGA_EMULATED)
    Clock &clock = own_clock();
    uint64_t at = unit_cycles(), last = clock.last, passed = at - clock.base_cycles;
    uint64_t ns = clock.base_ns + (passed * clock.rate >> RATE_BITS);
    if (!clock.alone)
        return ns;
    if (passed > KEEP_CYCLES)
        ns = lay_anew(clock, at);
    ns = ns > last ? ns : last;
    clock.last = ns;
    return ns;
#else
    return 0;
#endif
}

/* Watches both for a while, before anything is recorded. One thread of the warp calls it. */
MEGA_CALL void start_clock(uint32_t alone)
{
    Clock fresh = {};
    Moment first = moment();
    uint64_t step = ~UINT64_C(0), previous = first.ns;
    while (unit_cycles() - first.cycles < CALIBRATE_CYCLES) {
        uint64_t ns = device_ns();
        if (ns != previous && ns - previous < step)
            step = ns - previous;
        previous = ns;
    }
    Moment second = moment();
    fresh.start_cycles = first.cycles;
    fresh.start_ns = first.ns;
    fresh.base_cycles = second.cycles;
    fresh.base_ns = second.ns;
    fresh.rate = rate_of(second.ns - first.ns, second.cycles - first.cycles);
    fresh.step = step;
    fresh.alone = alone;
    own_clock() = fresh;
}

#endif
