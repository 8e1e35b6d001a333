"""Questions about devices whose streams run what a host launches."""
