"""What happened on a small archive of Enstore, by day, as text of its server log."""

from datetime import date, datetime, timedelta

from support.archive import Story


def week() -> dict[date, str]:
    """Four days and a night: mounts over local and UTC midnight, one over a day, a drive down for three."""
    story, first = Story(), datetime(2010, 3, 8, 6)
    for n in range(4):
        at = first + timedelta(days=n)
        story.heartbeat(at, at + timedelta(days=1), 540)
        story.session("DRV_1", f"VA{n}", at + timedelta(hours=3), 3)
        story.session("DRV_1", f"VB{n}", at + timedelta(hours=17, minutes=58), 3, file_s=60)  # over UTC midnight
        story.session("DRV_2", f"VC{n}", at + timedelta(hours=23, minutes=58), 4, file_s=45)  # over local midnight
    story.read("DRV_2", "VA0", first + timedelta(hours=20), [1, 2, 3])  # all of it on one day, some of it on another
    story.read("DRV_2", "VA0", first + timedelta(days=2, hours=20), [3, 1])
    story.session("DRV_3", "VD", first + timedelta(hours=20), 40, file_s=30, pause_s=3570)  # 40 hours in one mount
    story.down("DRV_4", first + timedelta(hours=2), first + timedelta(days=3, hours=1))  # over three UTC midnights
    story.session("DRV_4", "VE", first + timedelta(days=3, hours=2), 2, ends=False)  # never dismounted
    story.session("DRV_5", "VF", first + timedelta(hours=9), 1)
    story.down("DRV_5", first + timedelta(days=2, hours=5), None)  # never up again
    return story.days()


def week_with_hole(n_days: int) -> dict[date, str]:
    """Two days, a hole in the log, two days: drives that were idle, in use, down, or in use only since the hole."""
    story, first, after = Story(), datetime(2010, 3, 8, 6), timedelta(days=2 + n_days)
    for n in (timedelta(0), timedelta(days=1), after, after + timedelta(days=1)):
        story.heartbeat(first + n, first + n + timedelta(days=1), 540)
        story.session("DRV_1", f"VA{n.days}", first + n + timedelta(hours=3), 2)
    story.session("DRV_2", "VB", first + timedelta(hours=3), 2)  # idle, and so to the end
    story.session("DRV_3", "VC", first + timedelta(hours=4), 2)  # mounted in the hole
    story.read("DRV_3", "VD", first + after + timedelta(hours=5), [1, 2])
    story.session("DRV_4", "VE", first + timedelta(days=1, hours=20), 2, ends=False)  # dismounted in the hole
    story.session("DRV_4", "VF", first + after + timedelta(hours=6), 2)
    story.session("DRV_5", "VG", first + timedelta(days=1, hours=20), 2, ends=False)  # mounted all the time
    story.read("DRV_5", "VG", first + after + timedelta(hours=7), [1, 2])
    story.down("DRV_6", first + timedelta(days=1, hours=21), first + after + timedelta(hours=8))
    return story.days()
