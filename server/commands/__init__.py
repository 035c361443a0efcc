"""What the command line does, one module for each command; `server.cli` has their names and options."""
