"""Field numbers of xplane.proto in the public tsl repository, and the names that its planes use.

The names are those of xplane_schema.cc in the same place.
"""

# message XSpace
SPACE_PLANES = 1
SPACE_ERRORS = 2
SPACE_WARNINGS = 3
SPACE_HOSTNAMES = 4

# message XPlane
PLANE_ID = 1
PLANE_NAME = 2
PLANE_LINES = 3
PLANE_EVENT_METADATA = 4
PLANE_STAT_METADATA = 5
PLANE_STATS = 6

# message XLine
LINE_ID = 1
LINE_NAME = 2
LINE_TIMESTAMP_NS = 3
LINE_EVENTS = 4
LINE_DISPLAY_NAME = 11

# message XEvent
EVENT_METADATA_ID = 1
EVENT_OFFSET_PS = 2
EVENT_DURATION_PS = 3
EVENT_STATS = 4
EVENT_OCCURRENCES = 5  # num_occurrences, in place of an offset

# entries of the maps, and messages XEventMetadata and XStatMetadata
MAP_KEY = 1
MAP_VALUE = 2
METADATA_NAME = 2
METADATA_DISPLAY_NAME = 4
METADATA_STATS = 5

# message XStat
STAT_METADATA_ID = 1
STAT_DOUBLE = 2
STAT_UINT = 3
STAT_INT = 4
STAT_TEXT = 5
STAT_REF = 7

DEVICE_PLANES = ("/device:", "#Chip")
HOST_PLANES = ("/host:", "Host CPUs", "Syscalls")
STEP_LINES = ("Steps", "Sparse Core Steps")
MODULE_LINES = ("XLA Modules", "Sparse Core Modules")
OP_LINES = ("XLA Ops", "Sparse Core Ops")
ASYNC_LINES = ("Async XLA Ops", "Host Offload Ops")
ANNOTATION_LINES = ("XLA TraceMe",)
DERIVED_LINES = (
    "Framework Name Scope",
    "Framework Ops",
    "Source code",
    "Launch Stats",
    "Tensor Core Sync Flag",
    "Sparse Core Syncs",
    "_counters_",
)
"""Lines that a viewer's server makes of the others, or that hold no time of work."""
