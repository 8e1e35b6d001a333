"""Field numbers of Perfetto's protos that writer and reader use, each with the file it stands in.

The files are in the public perfetto repository under protos/perfetto/trace/.
"""

# trace.proto, message Trace
TRACE_PACKET = 1

# trace_packet.proto, message TracePacket
PACKET_CLOCK_SNAPSHOT = 6
PACKET_TIMESTAMP = 8
PACKET_SEQUENCE = 10  # trusted_packet_sequence_id
PACKET_TRACK_EVENT = 11
PACKET_INTERNED_DATA = 12
PACKET_SEQUENCE_FLAGS = 13
PACKET_DEFAULTS = 59  # trace_packet_defaults
PACKET_TRACK_DESCRIPTOR = 60
PACKET_STATE_CLEARED = 41  # incremental_state_cleared, the older form of the flag
PACKET_THREAD = 44  # thread_descriptor, the older form of a track
PACKET_COMPRESSED = 50  # compressed_packets: packets packed with deflate
PACKET_CLOCK_ID = 58  # timestamp_clock_id
PACKET_COMPRESSED_ZSTD = 133  # zstd_compressed_packets
SEQUENCE_STATE_CLEARED = 1  # SequenceFlags.SEQ_INCREMENTAL_STATE_CLEARED

# trace_packet_defaults.proto, message TracePacketDefaults
DEFAULTS_TRACK_EVENT = 11  # track_event_defaults
DEFAULTS_CLOCK_ID = 58  # timestamp_clock_id

# clock_snapshot.proto, messages ClockSnapshot and Clock
SNAPSHOT_CLOCKS = 1
SNAPSHOT_PRIMARY = 2  # primary_trace_clock
CLOCK_ID = 1
CLOCK_TIMESTAMP = 2
CLOCK_INCREMENTAL = 3  # is_incremental
CLOCK_UNIT = 4  # unit_multiplier_ns
CLOCK_REALTIME = 1  # BuiltinClock
CLOCK_BOOTTIME = 6
FIRST_SEQUENCE_CLOCK, LAST_SEQUENCE_CLOCK = 64, 127

# track_event/track_event.proto, messages TrackEvent and TrackEventDefaults
EVENT_DEBUG_ANNOTATION = 4  # debug_annotations
EVENT_CATEGORY_IID = 3  # category_iids
EVENT_LEGACY = 6  # legacy_event
EVENT_TYPE = 9
EVENT_NAME_IID = 10
EVENT_TRACK_UUID = 11
EVENT_ABSOLUTE_US = 16  # timestamp_absolute_us
EVENT_NAME = 23
EVENT_COUNTER = 30  # counter_value
EVENT_DOUBLE_COUNTER = 44  # double_counter_value
EVENT_FLOW_OLD = 36  # flow_ids_old
EVENT_TERMINATING_FLOW_OLD = 42  # terminating_flow_ids_old
EVENT_FLOW = 47  # flow_ids, fixed64
EVENT_TERMINATING_FLOW = 48  # terminating_flow_ids, fixed64
TYPE_SLICE_BEGIN = 1
TYPE_SLICE_END = 2
TYPE_COUNTER = 4

# track_event/track_event.proto, message LegacyEvent
LEGACY_NAME_IID = 1
LEGACY_PHASE = 2
LEGACY_DURATION_US = 3
LEGACY_UNSCOPED_ID = 6
LEGACY_ID_SCOPE = 7
LEGACY_BIND_ID = 8
LEGACY_LOCAL_ID = 10
LEGACY_GLOBAL_ID = 11

# track_event/debug_annotation.proto, message DebugAnnotation
ANNOTATION_NAME_IID = 1
ANNOTATION_INT = 4  # int_value
ANNOTATION_DOUBLE = 5  # double_value
ANNOTATION_UNUSED = 15  # not assigned
ANNOTATION_TEXT_IID = 17  # string_value_iid
ANNOTATION_UNUSED_WIDE = 99  # not assigned; its tag has two bytes

# interned_data/interned_data.proto, message InternedData
INTERNED_CATEGORY = 1  # event_categories
INTERNED_EVENT_NAME = 2  # event_names
INTERNED_ANNOTATION_NAME = 3  # debug_annotation_names
INTERNED_ANNOTATION_TEXT = 29  # debug_annotation_string_values

# track_event.proto EventName and debug_annotation.proto DebugAnnotationName
NAME_IID = 1
NAME_TEXT = 2

# track_event/track_descriptor.proto, message TrackDescriptor
TRACK_UUID = 1
TRACK_NAME = 2
TRACK_PROCESS = 3
TRACK_THREAD = 4
TRACK_PARENT_UUID = 5
TRACK_COUNTER = 8
TRACK_STATIC_NAME = 10
TRACK_CHILD_ORDERING = 11
TRACK_SIBLING_RANK = 12  # sibling_order_rank
TRACK_ATRACE_NAME = 13
TRACK_SIBLING_MERGE = 15  # sibling_merge_behavior
ORDERING_EXPLICIT = 3  # ChildTracksOrdering.EXPLICIT
MERGE_NONE = 2  # SIBLING_MERGE_BEHAVIOR_NONE

# track_event/process_descriptor.proto, message ProcessDescriptor
PROCESS_PID = 1
PROCESS_NAME = 6

# track_event/thread_descriptor.proto, message ThreadDescriptor
THREAD_PID = 1
THREAD_TID = 2
THREAD_NAME = 5

# track_event/counter_descriptor.proto, message CounterDescriptor
COUNTER_MULTIPLIER = 4  # unit_multiplier
COUNTER_INCREMENTAL = 5  # is_incremental
