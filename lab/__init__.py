"""The virtual rack: real Linux guests behind virtual CRS switches."""
