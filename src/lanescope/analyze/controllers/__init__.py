"""Questions about the controllers: where their time went, and how deep their queues were."""
