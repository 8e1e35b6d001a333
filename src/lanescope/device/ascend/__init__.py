"""Memory of an Ascend NPU, through the vendor's libraries. It was never tried on such a device."""
