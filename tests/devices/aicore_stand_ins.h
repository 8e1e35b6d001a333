/* Stand-ins for what ccec gives to AICore code: the header compiles with them on any machine. They do
 * nothing; a test that runs puts its own in their place.
 */
#ifndef AICORE_STAND_INS_H
#define AICORE_STAND_INS_H

#define __CCE_AICORE__ 220
#define __aicore__
#define __gm__

enum stand_in_line { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum stand_in_direction { CACHELINE_OUT };
typedef int mem_dsb_t;

static inline void dcci(const volatile void *, stand_in_line) {}
static inline void dcci(const volatile void *, stand_in_line, stand_in_direction) {}
static inline void dsb(mem_dsb_t) {}
static inline long get_sys_cnt() { return 0; }

#endif
