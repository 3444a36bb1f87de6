"""The virtual nodes: a root image, QEMU around it, and stand-ins for what a Spark has and a guest has not."""
