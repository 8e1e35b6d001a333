"""What an instruction costs: several cost sources, each a data file that says who says so."""
