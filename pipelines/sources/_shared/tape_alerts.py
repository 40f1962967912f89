"""TapeAlert flags of SCSI (SSC): numbers and names."""

NAMES = (
    *("Read warning", "Write warning", "Hard error", "Media", "Read failure", "Write failure", "Media life"),
    *("Not data grade", "Write protect", "No removal", "Cleaning media", "Unsupported format"),
    *("Recoverable mechanical cartridge failure", "Unrecoverable mechanical cartridge failure"),
    *("Memory chip in cartridge failure", "Forced eject", "Read only format", "Tape directory corrupted on load"),
    *("Nearing media life", "Cleaning required", "Cleaning requested", "Expired cleaning media"),
    *("Invalid cleaning tape", "Retension requested", "Dual port interface error", "Cooling fan failing"),
    *("Power supply failure", "Power consumption", "Drive maintenance", "Hardware A", "Hardware B", "Interface"),
    *("Eject media", "Microcode update fail", "Drive humidity", "Drive temperature", "Drive voltage"),
    *("Predictive failure", "Diagnostics required"),
)
LATER = {
    **{50: "Lost statistics", 51: "Tape directory invalid at unload", 52: "Tape system area write failure"},
    **{53: "Tape system area read failure", 54: "No start of data", 55: "Loading failure"},
    **{56: "Unrecoverable unload failure", 57: "Automation interface failure", 58: "Firmware failure"},
    **{59: "WORM medium - integrity check failed", 60: "WORM medium - overwrite attempted"},
}
OF_NUMBER = dict(enumerate(NAMES, 1)) | LATER
PREFIX = "alert "  # of the name of a counter that is a flag


def alert(number: int) -> str:
    """The counter of a flag, as `bronze.scsi_counter` has it.

    >>> alert(4), alert(63)
    ('alert Media', 'alert flag 63')
    """
    return PREFIX + OF_NUMBER.get(number, f"flag {number}")
