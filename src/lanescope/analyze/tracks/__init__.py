"""Questions about slices on tracks, of which nobody knows more than their name and place."""
