"""The protobuf messages of JAX's profiler traces, which are XLA's. Unused fields are left out and skipped."""

from __future__ import annotations

from sporax._src.base.protobuf_messages import message_classes

CLASSES = message_classes(
    "sporax.trace",
    """
    message Space { repeated Plane planes = 1; }
    message Plane {
        optional string name = 2;
        repeated Line lines = 3;
        repeated EventEntry events = 4;
        repeated StatEntry stats = 5;
    }
    message EventEntry { optional int64 key = 1; optional Event value = 2; }
    message Event { optional string name = 2; repeated Stat stats = 5; }
    message StatEntry { optional int64 key = 1; optional StatName value = 2; }
    message StatName { optional string name = 2; }
    message Stat {
        optional int64 id = 1;
        optional uint64 uint = 3;
        optional int64 int = 4;
        optional string str = 5;
        optional bytes bytes = 6;
        optional uint64 ref = 7;
    }
    message Line { optional string name = 2; optional int64 began_ns = 3; repeated Moment events = 4; }
    message Moment {
        optional int64 id = 1;
        optional int64 offset_ps = 2;
        optional int64 duration_ps = 3;
        repeated Stat stats = 4;
    }
    message Hlo { optional Module module = 1; }
    message Module { optional string name = 1; repeated Computation computations = 3; optional Frames frames = 17; }
    message Computation { repeated Instruction instructions = 2; }
    message Instruction { optional string name = 1; optional Metadata metadata = 7; }
    message Metadata {
        optional string op_name = 2;
        optional string file = 3;
        optional int64 line = 4;
        optional int64 frame = 15;
    }
    message Frames { repeated string files = 1; repeated Location locations = 3; repeated Frame frames = 4; }
    message Location { optional int64 file = 1; optional int64 line = 3; }
    message Frame { optional int64 location = 1; optional int64 parent = 2; }
    """,
)
