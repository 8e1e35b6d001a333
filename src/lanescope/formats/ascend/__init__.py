"""Folders of the Ascend PyTorch Profiler and of msprof: timelines, kernel tables, databases.

What the files hold: docs/ascend.md. Sources: github.com/Ascend/msprof-analyze (real files under
test/, SQL in advisor/common/profiling), github.com/Ascend/msprof
docs/en/user_guide/profile_data_file_references_db.md (tables of the databases).
"""
