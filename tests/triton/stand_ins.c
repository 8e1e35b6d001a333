/* What a GPU has and this machine lacks, for device code that runs here: registers, clocks, stores in PTX.
 *
 * One thread of one CTA at a time. Time passes in the store of a kernel's result, by as many cycles as the
 * number that is stored, and while a thread sleeps; so the same work takes the same time, whoever records it.
 */
#include <stdint.h>

static struct {
    int32_t tid[3], ntid[3], ctaid[3], nctaid[3];
} self;
static uint64_t cycles;

/* Each is a place or a size in x, y and z. */
void stand_at(const int32_t *thread, const int32_t *threads, const int32_t *cta, const int32_t *ctas)
{
    for (int i = 0; i < 3; i++)
        self.tid[i] = thread[i], self.ntid[i] = threads[i], self.ctaid[i] = cta[i], self.nctaid[i] = ctas[i];
}

void become(int32_t thread, int32_t threads, int32_t cta, int32_t ctas)
{
    stand_at((int32_t[3]){thread}, (int32_t[3]){threads, 1, 1}, (int32_t[3]){cta}, (int32_t[3]){ctas, 1, 1});
}

void set_clock(uint64_t value) { cycles = value; }
uint64_t clock64(void) { return cycles; }

static uint64_t *awaited, awaited_value;
static int naps_left;

/* After so many naps from now on the word has the value, as if the host had stored it meanwhile. */
void store_after(int naps, uint64_t *word, uint64_t value)
{
    naps_left = naps, awaited = word, awaited_value = value;
}

void nanosleep_(uint32_t ns)
{
    cycles += 2 * (uint64_t)ns;
    if (naps_left && --naps_left == 0)
        *awaited = awaited_value;
}

int32_t read_ptx_sreg_tid_x(void) { return self.tid[0]; }
int32_t read_ptx_sreg_tid_y(void) { return self.tid[1]; }
int32_t read_ptx_sreg_tid_z(void) { return self.tid[2]; }
int32_t read_ptx_sreg_ntid_x(void) { return self.ntid[0]; }
int32_t read_ptx_sreg_ntid_y(void) { return self.ntid[1]; }
int32_t read_ptx_sreg_ctaid_x(void) { return self.ctaid[0]; }
int32_t read_ptx_sreg_ctaid_y(void) { return self.ctaid[1]; }
int32_t read_ptx_sreg_ctaid_z(void) { return self.ctaid[2]; }
int32_t read_ptx_sreg_nctaid_x(void) { return self.nctaid[0]; }
int32_t read_ptx_sreg_nctaid_y(void) { return self.nctaid[1]; }
void bar_warp_sync(int32_t mask) { (void)mask; }
uint8_t vote_any_sync(int32_t mask, uint8_t yes) { return (void)mask, yes; }
void membar_gl(void) { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

uint64_t globaltimer(void) { return cycles / 2 + 1000; }
uint32_t smid(void) { return (uint32_t)self.ctaid[0] + 7; }
uint32_t copy(uint32_t value) { return value; }
uint32_t is_any(uint32_t value) { return value != 0; }
uint32_t exchange(uint32_t *word, uint32_t value) { return __atomic_exchange_n(word, value, __ATOMIC_RELAXED); }
uint64_t add(uint64_t *word, uint64_t value) { return __atomic_fetch_add(word, value, __ATOMIC_RELAXED); }
uint64_t load_acquire(uint64_t *word) { return __atomic_load_n(word, __ATOMIC_ACQUIRE); }
uint64_t load_long(uint64_t *word) { return *word; }
uint32_t load_word(uint32_t *word) { return *word; }
void store_relaxed(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELAXED); }
void store_release(uint64_t *word, uint64_t value) { __atomic_store_n(word, value, __ATOMIC_RELEASE); }

void store_pair(uint64_t *at, uint64_t a, uint64_t b) { at[0] = a, at[1] = b; }

void store_four(uint32_t *at, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    at[0] = a, at[1] = b, at[2] = c, at[3] = d;
}

void store_before(uint32_t *at, uint32_t a, uint32_t b, uint32_t c, uint32_t d)
{
    store_four(at - 4, a, b, c, d);
}

void spend_at(uint32_t *at, uint32_t length)
{
    *at = length;
    cycles += length;
}

void spend(uint32_t length, uint32_t *at, uint8_t active)
{
    if (active & 1)
        spend_at(at, length);
}
