"""`--budget`: how much a run may record, so that recording costs no more than the user allows."""
