"""Every sentence shown to people, in four languages."""
