"""Files of the published study of stragglers: one Parquet file per job, a YAML file with its sizes.

Source: ByteDance-Seed/StragglerAnalysis, the artifact of "Understanding Stragglers in Large Model
Training Using What-if Analysis" (OSDI 2025). docs/straggler-study.md describes what becomes what.
"""
