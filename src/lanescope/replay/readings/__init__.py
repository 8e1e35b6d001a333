"""What a replay needs beside costs: machine, shapes of tasks, submits, engines, buffers."""
