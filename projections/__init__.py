"""What each viewer may see: views and redacted events, built up from nothing."""
