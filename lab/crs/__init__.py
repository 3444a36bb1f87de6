"""A virtual CRS8xx: RouterOS' binary API over the state of one switch."""
