"""What is missing in a run, and who lost it: `lanescope check`.

`check.py` walks the folders, `reading.py` reads what can be read, the other files each find one
sort of thing. `simpler/` knows the files of that runtime.
"""
