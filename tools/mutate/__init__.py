"""`make mutate`: small changes to a copy of the code, and whether a test notices each of them.

Python is changed by the operators of cosmic-ray, C and the page's scripts by exchanging tokens, and
`changes.toml` lists changes that once were, or could have been, a defect that no test saw.
"""
