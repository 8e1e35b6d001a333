# %% [markdown]
# # lanescope in a notebook
# Every verb of the command line is a function of `lanescope`, with the same words as its options.
# A cell begins with `# %%`: VS Code, PyCharm and Jupytext open this file as a notebook.

# %%
import lanescope

trace = lanescope.run("paged_attention", platform="a2a3")
trace

# %% [markdown]
# ## Where did the time go?

# %%
report = lanescope.report(trace)
print(report.text()[:700])

# %%
chip = lanescope.verdict(trace).chip
for share in chip.shares:
    if share.ns:
        print(f"{share.label:<40} {share.share:6.1%}")

# %% [markdown]
# ## Tables
# Words instead of codes, nulls where a value is not known. `to_pandas()` needs pandas.

# %%
tasks = trace.tasks.to_arrow()
functions = trace.functions.to_arrow()
busy = tasks.join(functions, "func").group_by("name").aggregate([("end_ns", "count")])
busy.sort_by("name").to_pydict()

# %%
part = lanescope.select(trace, since="200us", until="400us", core="0-3")
part

# %% [markdown]
# ## What would pay?

# %%
answer = lanescope.what_if(trace, scale={"QK": 0.5})
prediction = answer.predictions[0]
low, high = prediction.low_change, prediction.high_change
print(f"{prediction.name}: {prediction.change:+.1%}, {low:+.1%} to {high:+.1%}")

# %% [markdown]
# ## Look at it, keep it

# %%
page = lanescope.view(trace)
page

# %%
lanescope.save(trace, "paged_attention.lanes")
lanescope.export(trace, "paged_attention.perfetto-trace", to="perfetto")

# %% [markdown]
# ## A board that does not exist yet

# %%
prediction = lanescope.predict("examples/tile.asm", board="v80")
fit = lanescope.fit("examples/model_135m.json", board="nexys_video", context=2048)
fit.regime
