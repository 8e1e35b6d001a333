/* The schedule of a program on a board (schedule.c); native.h includes this. */
#ifndef LANESCOPE_SCHEDULE_H
#define LANESCOPE_SCHEDULE_H

enum ls_line_kind { LS_LINE_NONE = 0, LS_LINE_PLAIN = 1, LS_LINE_LOOP_START = 2, LS_LINE_LOOP_END = 3 };

/* What an integer register holds after an instruction. */
enum ls_value {
    LS_VALUE_UNKNOWN = 0,
    LS_VALUE_ADD = 1,
    LS_VALUE_ADD_IMMEDIATE = 2,
    LS_VALUE_SUBTRACT = 3,
    LS_VALUE_MULTIPLY = 4,
    LS_VALUE_UPPER = 5, /* immediate << 12 */
    LS_VALUE_JOIN = 6,  /* left above right, 32 bits each: an address of the board's memory */
    LS_VALUE_COPY = 7,
    LS_VALUE_SHIFT_LEFT = 8,
    LS_VALUE_SHIFT_LEFT_IMMEDIATE = 9,
    LS_VALUE_SHIFT_RIGHT = 10,
    LS_VALUE_SHIFT_RIGHT_IMMEDIATE = 11,
    LS_VALUE_DIVIDE = 12,
    LS_VALUE_REMAINDER = 13
};

/* Why an instruction could not start when the one before it had. */
enum ls_wait {
    LS_WAIT_UNIT = 0,     /* its unit was busy                        */
    LS_WAIT_REGISTER = 1, /* a register was not ready                 */
    LS_WAIT_SRAM = 2,     /* an SRAM range was not ready or still read */
    LS_WAIT_SLOT = 3,     /* too many transfers were outstanding      */
    LS_WAITS = 4
};

/* Granules of a memory: `count` from the address in a register, `step` apart. */
typedef struct {
    int32_t memory; /* -1 ends the list                                              */
    int32_t base;   /* register with the address                                     */
    int32_t step;   /* register with the distance in granules (at least 1), -1: 1    */
    int32_t part;   /* the granules are written in part: what was there stays needed */
    int32_t count;
    int32_t open;   /* whether the row's number is added to the address, too         */
    int64_t offset; /* added to the address                                          */
} ls_range;

/* What lines of one pattern do. Registers are numbered across all register files and states. */
typedef struct {
    int32_t kind; /* ls_line_kind */
    int32_t unit; /* -1: a start or end of a loop without a cost, which only turns the loop */
    int32_t transfer; /* waits in the queue of transfers instead of blocking what follows */
    int32_t value;    /* ls_value */
    int32_t target;   /* integer register that `value` is about, or -1 */
    int32_t left;
    int32_t right;
    int32_t clears; /* register that holds no result afterwards, or -1: no path leads through it */
    int64_t done;   /* at least `ready` and `interval` */
    int64_t ready;
    int64_t interval;
    int32_t reads[8];  /* -1 ends */
    int32_t writes[4]; /* -1 ends */
    ls_range loads[4];
    ls_range stores[2];
} ls_line;

/* One executed transfer, and what its address is made of. */
typedef struct {
    int64_t before; /* cycles of all instructions before it that are no transfers */
    int64_t base;
    int64_t offset;
    int64_t scale;
    int64_t stride;
    int32_t row;
    int32_t node;  /* its number among the executed instructions */
    int32_t known; /* whether the program computes all four values */
    int32_t spare;
} ls_transfer;

typedef struct {
    const ls_line *lines;
    const int32_t *which;   /* per row of the program its line */
    const int64_t *number;  /* per row: its immediate; of a loop's start how often it turns */
    const int64_t *granule; /* per memory: addresses per granule */
    int64_t rows;
    int64_t most; /* instructions that `row_of` and the arrays below hold */
    int32_t registers;
    int32_t memories;
    int32_t units;
    int32_t outstanding; /* transfers that may be under way */
    int32_t buffers;     /* 2: a transfer fills the other of two buffers */
    int32_t depth;       /* of the deepest loop */
    int32_t scale;       /* registers that transfers take their scale and stride from, or -1 */
    int32_t stride;
    int64_t executed;      /* out: instructions */
    int64_t makespan;      /* out: cycles */
    int64_t critical_path; /* out: cycles */
    const int64_t *transfer_cycles; /* per executed transfer, in place of its line's; or NULL */
    int64_t most_transfers;         /* that `transfers` and `transfer_cycles` hold */
    ls_transfer *transfers; /* out: per executed transfer; NULL only without transfer_cycles */
    int64_t *waits;        /* out: LS_WAITS cycles */
    int64_t *row_waits;    /* out: per row, cycles */
    int64_t *row_critical; /* out: per row, cycles on the critical path */
    int64_t *carriers;     /* out: cycles that registers, then memories, hand on along that path */
    int64_t *issue;        /* out: per instruction, or NULL */
    int64_t *start;        /* out: per instruction, or NULL */
    int32_t *row_of;       /* out: per instruction */
    int32_t *previous;     /* scratch: per instruction */
    int32_t *carrier;      /* scratch: per instruction */
} ls_schedule;

static_assert(sizeof(ls_range) == 32, "mirrored in Python");
static_assert(sizeof(ls_line) == 296, "mirrored in Python");
static_assert(sizeof(ls_transfer) == 56, "mirrored in Python");
static_assert(sizeof(ls_schedule) == 200, "mirrored in Python");

/* Runs the program in order: one instruction starts per cycle, on its unit, when what it reads is
 * ready. Returns 0; -1 when there are more than `most` instructions or `most_transfers` transfers;
 * -2 for lack of memory. */
LS_EXPORT int32_t ls_schedule_run(ls_schedule *schedule);

#endif
