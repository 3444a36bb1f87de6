"""User-mode Linux: guests for machines without KVM, some ten times faster than emulated ones."""
