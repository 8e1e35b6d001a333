"""Questions to the controllers: where their time went, and how deep their queues were."""
