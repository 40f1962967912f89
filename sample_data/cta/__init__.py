"""A site of today that runs the CERN Tape Archive: what its tape daemons log, with known faults."""
