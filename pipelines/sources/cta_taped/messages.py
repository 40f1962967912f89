"""Which messages of the daemon fill which relation, and as what; all others are skipped."""

import re
from functools import lru_cache

FILE, SESSION, STEP, COUNTER = "cta_file", "cta_session", "cta_step", "scsi_counter"
PROGRESS = "progress"  # of a session that goes on: the same record, before its end

# (relation, kind, form of the message): the first that is found counts
_FORMS = [
    (relation, kind, re.compile(form))
    for relation, kind, form in (
        (FILE, "read", r"^File successfully read from tape$"),
        (FILE, "written", r"^File successfully transmitted to drive$"),
        (FILE, "failed", r"^Error reading a file in TapeReadFileTask"),
        (FILE, "failed", r"^An error occurred for this file\. End of migrations\."),
        (FILE, "failed", r"^Left placeholder on tape after skipping unreadable file\."),
        (SESSION, "final", r"^Tape session finished$"),
        (PROGRESS, "in_progress", r"^Tape session statistics$"),
        (STEP, "selected", r"getNextMount\(\): Selected next mount"),
        (STEP, "volume_received", r"^Got volume from client$"),
        (STEP, "session_started", r"^Tape session started"),
        (STEP, "mounted", r"^Tape mounted for "),
        (STEP, "ready", r"^Tape mounted and drive ready$"),
        (STEP, "label_positioned", r"^Tape read session session with"),
        (STEP, "positioned", r"^Write session initialised with"),
        (STEP, "file_positioned", r"^Successfully positioned for reading$"),
        (
            STEP,
            "flushed",
            r"^Normal flush because thresholds|^No more data to write on tape, unconditional",
        ),
        (STEP, "unloading", r"[Uu]nloading (?:the )?tape\b"),
        (STEP, "unloaded", r"[Tt]ape unloaded$"),
        (STEP, "unmounted", r"[Tt]ape unmounted$"),
        (STEP, "thread_complete", r"^Tape thread complete"),
        (STEP, "state_changed", r"processEvent\(\): changing session state$"),
        (STEP, "state_changed", r"DriveHandler::processFatal\(\)"),
        (STEP, "drive_status", r"updateDriveStatus\(\): Updating drive status\.?$"),
        (STEP, "desired_state", r"^Updating desired drive state"),
        (STEP, "alert", r"^Tape alert detected$"),
        (STEP, "killed", r"^Drive subprocess crashed\."),
        (STEP, "killed", r"DriveHandler::kill\(\): sub process completed$"),
        (STEP, "started_daemon", r"^(?:Starting|Launching|Launched) cta-taped|^cta-taped start"),
        (STEP, "stopped_daemon", r"^(?:Exiting|Stopping) cta-taped|^cta-taped (?:exit|stop)"),
        (COUNTER, "mount", r"^Logging mount general statistics$"),
        (COUNTER, "drive", r"^Logging drive statistics$"),
        (COUNTER, "volume", r"^Logging volume statistics$"),
    )
]
# What a line's `event_name` makes of a message that is not known.
EVENTS = {
    "program_starting": (STEP, "started_daemon"),
    "program_exiting": (STEP, "stopped_daemon"),
    "putting_tape_drive_down": (STEP, "desired_state"),
    "putting_tape_drive_up": (STEP, "desired_state"),
}


@lru_cache(maxsize=4096)
def known(message: str) -> tuple[str, str] | None:
    """Relation and kind of a message.

    >>> known("TapeReadSingleThread : tape unmounted"), known("Propagated SIGCHILD.")
    (('cta_step', 'unmounted'), None)
    """
    return next(((relation, kind) for relation, kind, form in _FORMS if form.search(message)), None)
