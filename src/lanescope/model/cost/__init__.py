"""What an instruction costs: several sources side by side, each a data file with its source."""
