"""Will this model fit, and how fast will it be? On two boards, with a short and a long context."""

from pathlib import Path

import lanescope

MODEL = Path(__file__).parents[1] / "model_135m.json"
MB = 1_000_000

for board in ("nexys_video", "v80"):
    for context in (2_048, 16_384):
        fit = lanescope.fit(MODEL, board=board, context=context)
        needed = fit.footprint_bytes.weight + fit.footprint_bytes.kv
        print(
            f"{board}, {context:,} tokens: {needed / MB:,.0f} of {fit.capacity_bytes / MB:,.0f} MB"
        )
        rate = fit.decode.tokens_per_s
        if rate is None:
            print(f"  {fit.regime}; no rate: {fit.decode.reason}")
        else:
            print(
                f"  {fit.regime}; {rate.estimate:.2f} tokens/s ({rate.low:.2f} to {rate.high:.2f})"
            )
