"""Every importer and exporter of lanescope: the sole registration point.

Nothing heavy is imported here: a format's functions are named, and loaded at the first call.
`available.py` adds those of other packages.
"""

from __future__ import annotations

from lanescope.formats.deferred import Deferred
from lanescope.formats.exporter import Exporter
from lanescope.formats.importer import Importer
from lanescope.formats.option import FormatOption


def _of(module: str, function: str) -> Deferred:
    return Deferred(f"lanescope.formats.{module}", function)


_TABLES = (
    *("phases", "marks", "counters", "edges", "cores", "functions", "stalls", "controllers"),
    *("runs", "steps", "waits", "collectives", "launches", "blocks"),
)
"""Tables of a trace beside its tasks; a test compares them with the schema."""

IMPORTERS: tuple[Importer, ...] = (
    Importer(
        name="simpler",
        reads="runs of the simpler runtime",
        files="records of all eleven generations since February 2026, deps.json, name maps, "
        "pmu.csv, scope_stats.jsonl, host_phase_records.jsonl, args_dump.json, host logs, chunk "
        "streams of cores (core_N.chip6); folders of ranks",
        endings=(".json", ".jsonl", ".csv", ".json.gz", ".log", ".chip6", ".chip6.gz"),
        recognises=_of("simpler.kinds", "kind_of"),
        read=_of("simpler.importer", "read"),
        mains=("records",),
        companions=(
            *("deps", "names", "pmu", "scopes", "host_phases", "arguments", "identity"),
            "core_streams",
        ),
        alone=("deps", "pmu", "scopes", "host_phases", "arguments", "host_log"),
        many=("host_log", "core_stream"),
        gathers=_of("simpler.gathering", "is_gathered"),
        folded=("scope_stats", "args_dump"),
        options=(
            FormatOption(
                name="clock",
                help="how host and device times are put together: by containment (default), or by "
                "the device's own start in the host's log",
                choices=("containment", "start-cycle"),
            ),
        ),
        url="https://github.com/hw-native-sys/simpler",
    ),
    Importer(
        name="xplane",
        reads="XSpace files",
        files="`*.xplane.pb` of XLA's profiler (JAX, TensorFlow, PyTorch/XLA) on TPUs and GPUs; "
        "folders plugins/profile/TIME",
        endings=(".xplane.pb", ".xplane.pb.gz"),
        recognises=_of("xplane.read", "recognises"),
        json=False,
        read=_of("xplane.read", "read"),
        url="https://github.com/openxla/xprof",
    ),
    Importer(
        name="perfetto",
        reads="Perfetto traces",
        files="protobuf traces of any tool (.perfetto-trace, .pftrace): tracks, slices, flows, "
        "counters",
        endings=(".perfetto-trace", ".pftrace", ".perfetto-trace.gz", ".pftrace.gz"),
        recognises=_of("perfetto.read", "recognises"),
        json=False,
        read=_of("perfetto.read", "read"),
        copies=True,
        url="https://perfetto.dev",
    ),
    Importer(
        name="ascend",
        reads="Ascend profiler runs",
        files="folders *_ascend_pt and PROF_*, databases (ascend_pytorch_profiler_*.db, "
        "msprof_*.db), trace_view.json, kernel_details.csv, communication.json, "
        "cluster_communication.json",
        endings=(".db", ".json", ".csv", ".db.gz", ".json.gz", ".csv.gz"),
        recognises=_of("ascend.kinds", "kind_of"),
        read=_of("ascend.importer", "read"),
        mains=("database", "timeline"),
        companions=("kernels", "communication", "cluster", "steps", "info"),
        alone=("kernels", "communication", "cluster"),
        gathers=_of("ascend.folder", "is_rank_folder"),
        folded=("ASCEND_PROFILER_OUTPUT",),
        url="https://github.com/Ascend/msprof-analyze",
    ),
    Importer(
        name="kineto",
        reads="PyTorch profiler traces",
        files="the JSON that torch.profiler (Kineto) writes, from 2021 to today, CUDA and ROCm; a "
        "file per rank",
        endings=(".json", ".json.gz"),
        recognises=_of("kineto.importer", "recognises"),
        read=_of("kineto.importer", "read"),
        url="https://github.com/pytorch/kineto",
    ),
    Importer(
        name="straggler-study",
        reads="jobs of the straggler study",
        files="`trace-*.parquet` with `meta-*.yaml` of ByteDance's published study of stragglers: "
        "a trace per worker",
        endings=(".parquet", ".yaml", ".yml"),
        recognises=_of("straggler.read", "recognises"),
        json=False,
        read=_of("straggler.read", "read"),
        url="https://github.com/ByteDance-Seed/StragglerAnalysis",
    ),
    Importer(
        name="nsys",
        reads="exports of Nsight Systems",
        files="SQLite files and Parquet folders of `nsys export`, folders and archives of nsys-jax",
        endings=(".sqlite", ".sqlite.gz", ".db", ".parquet"),
        recognises=_of("nsys.importer", "recognises"),
        json=False,
        gathers=_of("nsys.kinds", "is_parquet_export"),
        read=_of("nsys.importer", "read"),
        url="https://developer.nvidia.com/nsight-systems",
    ),
    Importer(
        name="rocprofv3",
        reads="recordings of rocprofv3",
        files="the JSON of rocprofv3 (ROCm) and its rocpd databases",
        endings=(".json", ".json.gz", ".db", ".db.gz"),
        recognises=_of("rocprof.importer", "recognises"),
        read=_of("rocprof.importer", "read"),
        mains=("rocpd", "rocprofv3"),
        url="https://github.com/ROCm/rocprofiler-sdk",
    ),
    Importer(
        name="tt-metal",
        reads="tt-metal profiles",
        files="the device log profile_log_device.csv, the report ops_perf_results*.csv",
        endings=(".csv", ".csv.gz"),
        recognises=_of("ttmetal.importer", "recognises"),
        json=False,
        read=_of("ttmetal.importer", "read"),
        mains=("log",),
        companions=("report",),
        alone=("report",),
        options=(
            FormatOption(name="chip", help="only the chip of this number", metavar="N", parse=int),
        ),
        url="https://github.com/tenstorrent/tt-metal",
    ),
    Importer(
        name="chrome",
        reads="Chrome traces",
        files="Chrome Trace Event JSON of any tool, also packed (.json.gz, .json.zst)",
        endings=(".json", ".json.gz"),
        recognises=_of("chrome.read", "recognises"),
        read=_of("chrome.read", "read"),
        copies=True,
    ),
    Importer(
        name="csv",
        reads="tables of lanescope as CSV",
        files="a folder that `lanescope export --to csv` wrote, or one table of it",
        endings=(".csv", ".csv.gz", "meta.json"),
        recognises=_of("csv_read", "recognises"),
        read=_of("csv_read", "read"),
        mains=("tasks",),
        companions=(*_TABLES, "meta"),
        alone=_TABLES,
        copies=True,
    ),
    Importer(
        name="kanata",
        reads="Kanata logs",
        files="pipeline logs of processor simulators, version 0004, as Konata opens them",
        endings=(".kanata", ".kanata.gz"),
        recognises=_of("kanata_read", "recognises"),
        json=False,
        read=_of("kanata_read", "read"),
        copies=True,
        url="https://github.com/shioyadan/Konata",
    ),
    Importer(
        name="plena",
        reads="outputs of PLENA's emulator",
        files="its log, rust_emulator_run_stats.json, stage profiles (versions 1, 2, 4), memory "
        "profiles, the JSON lines of --scoreboard-trace and --op-stats",
        endings=(".jsonl", ".json", ".log", ".jsonl.gz", ".json.gz"),
        recognises=_of("plena.importer", "recognises"),
        read=_of("plena.importer", "read"),
        mains=("scoreboard", "op-stats", "stages", "memory", "run-stats", "log"),
        options=(
            FormatOption(
                name="period_ps",
                help="picoseconds of a cycle, as CLOCK_PERIOD_PS of the run (default: 1000)",
                metavar="N",
                parse=_of("plena.importer", "period"),
            ),
        ),
        url="https://github.com/AICrossSim/PLENA_Simulator",
    ),
    Importer(
        name="chip6",
        reads="raw chunk streams",
        files="what one core's trace engine wrote, as bytes",
        read=_of("chip6.read", "read"),
        options=(
            FormatOption(
                name="core_mhz",
                help="clock of the core",
                metavar="MHZ",
                parse=_of("chip6.clock", "hertz"),
            ),
            FormatOption(
                name="counter_mhz",
                help="clock of the stamps",
                metavar="MHZ",
                parse=_of("chip6.clock", "hertz"),
            ),
            FormatOption(
                name="core", help="number of the core (default: 0)", metavar="N", parse=int
            ),
            FormatOption(
                name="kind", help="kind of the core (default: aic)", choices=("aic", "aiv")
            ),
        ),
    ),
)
"""In the order in which they are asked about a file: the more special before the more general."""

EXPORTERS: tuple[Exporter, ...] = (
    Exporter(
        name="perfetto",
        writes="a protobuf trace for Perfetto: every view, arrows, counters, the critical path",
        ending=".perfetto-trace",
        write=_of("perfetto.write", "write"),
        write_ranks=_of("perfetto.archive", "write_ranks"),
        ranks_ending=".perfetto.tar",
        opened="Open it at https://ui.perfetto.dev",
        url="https://perfetto.dev",
    ),
    Exporter(
        name="chrome",
        writes="Chrome Trace Event JSON with the same content, for viewers that take no protobuf",
        ending=".trace.json",
        write=_of("chrome.write", "write"),
        opened="Open it at https://ui.perfetto.dev",
    ),
    Exporter(
        name="simpler",
        writes="the simpler runtime's own files as it writes them today; one file where the output "
        "ends in .json",
        ending="",
        target="folder",
        write=_of("simpler.write", "write"),
        options=(
            FormatOption(
                name="generation",
                help="the shape of an older runtime's files (default: G10, of September 2026)",
                choices=("G6", "G7", "G8", "G9", "G10"),
            ),
        ),
        url="https://github.com/hw-native-sys/simpler",
    ),
    Exporter(
        name="csv",
        writes="one CSV file per table, without formulas; one table where the output ends in .csv",
        ending="-csv",
        target="folder",
        write=_of("csv_tables", "write"),
        options=(FormatOption(name="table", help="only this table"),),
    ),
    Exporter(
        name="kanata",
        writes="a Kanata 0004 log: a row per task, a thread per core",
        ending=".kanata",
        write=_of("kanata", "write"),
        opened="Open it with Konata",
    ),
)
