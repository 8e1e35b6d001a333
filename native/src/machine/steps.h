/* Controllers as functions that stop in the middle and go on there when it is their turn again.
 *
 *   STEPS(s->at_x)          the function goes on where it stopped
 *       PAUSE(s->at_x);     it stops: 0; whoever stops has arranged for its next turn before
 *       AWAIT(s->at_x, f)   it stops as long as f, a function of the same form, does
 *   OVER(s->at_x)           it is over: 1
 *
 * What must outlive a stop is in the controller's struct. */
#ifndef LANESCOPE_MACHINE_STEPS_H
#define LANESCOPE_MACHINE_STEPS_H

#define STEPS(place)                                                                              \
    switch (place) {                                                                              \
    case 0:

#define PAUSE(place)                                                                              \
    do {                                                                                          \
        (place) = __LINE__;                                                                       \
        return 0;                                                                                 \
    case __LINE__:;                                                                               \
    } while (0)

#define AWAIT(place, call)                                                                        \
    do {                                                                                          \
        (place) = __LINE__;                                                                       \
        __attribute__((fallthrough));                                                             \
    case __LINE__:                                                                                \
        if (!(call))                                                                              \
            return 0;                                                                             \
    } while (0)

#define OVER(place)                                                                               \
    }                                                                                             \
    (place) = 0;                                                                                  \
    return 1

#endif
