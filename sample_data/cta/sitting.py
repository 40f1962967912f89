"""One mount of a site of CTA: its files, what robot and disks take, and the faults that strike them."""

from dataclasses import replace
from datetime import datetime, timedelta
from math import exp
from random import Random

from sample_data import planted
from sample_data.cta import faults
from sample_data.cta.mount import File, Mount
from sample_data.cta.site import (
    ALERTS,
    CORRECTED_PER_TB,
    CORRECTED_SD,
    FILE_SD,
    MB_S,
    MEDIA,
    RETRY_SHARE,
    RETRY_TIMES,
    TAPE_FILES,
    Drive,
    Site,
    Wish,
    bell,
    disk_of,
    moment,
    some,
)
from sample_data.story import HOUR


class Sitting:
    """One tape in one drive: its files, what the robot and the disks take, and the faults that strike them."""

    def __init__(self, site: Site, drive: Drive, rng: Random, wish: Wish, tape: str, speed: float) -> None:
        self.site, self.struck, self.drive, self.rng, self.wish, self.tape = site, site.struck, drive, rng, wish, tape
        self.mb_s = MB_S[drive.generation] * speed

    def sit(self, now: int) -> int:
        wish, rng = self.wish, self.rng
        pool = f"{'r' if wish.mode == 'read' else 'w'}_{wish.vo}"
        mount = Mount(
            self.drive.name,
            self.tape,
            moment(now),
            [],
            wish.mode,
            wish.vo,
            pool,
            disk_of(wish.vo),
            MEDIA[self.drive.generation],
            mount_s=some(rng, 55, 85),
            label_s=some(rng, 12, 22),
            unload_s=some(rng, 18, 30),
            unmount_s=some(rng, 12, 18),
            flush_s=some(rng, 1.5, 3),
        )
        if wish.is_empty:
            return self._tell(replace(mount, is_empty=True))
        now = self._tell(*self._failed(mount, now)) or now
        mount = replace(mount, at=moment(now), files=self._files(now))
        for number, fault in self.struck.striking(faults.SlowDrain, mount.disk, now):
            if wish.mode == "read" and mount.files:
                mount.drain_s = round(fault.drain_s * (0.8 + 0.4 * rng.random()), 6)
                self.site.strike(number, mount.drain_s)
        self._ail(mount, now)
        self._hang(mount, now)
        return self._tell(mount)

    def _tell(self, *mounts: Mount) -> int:
        done = 0
        for mount in mounts:
            done = round((self.site.taped.serve(mount) - datetime(1970, 1, 1)) / timedelta(microseconds=1))
        return done

    def _failed(self, mount: Mount, now: int) -> list[Mount]:
        """A mount that the drive gives up, before the one that works."""
        for number, fault in self.struck.striking(planted.MountFailures, mount.drive, now):
            if self.site.n_struck[number] < fault.times:
                took = some(self.rng, 150, 280)
                self.site.strike(number, took)
                return [replace(mount, mount_s=took, is_failed=True)]
        return []

    def _ail(self, mount: Mount, now: int) -> None:
        alerts = []
        for number, fault in self.struck.striking(faults.DriveAlerts, mount.drive, now):
            if self.rng.random() < fault.share:
                alerts.append(self.rng.choice(ALERTS))
                self.site.strike(number)
        for number, _ in self.struck.striking(faults.TapeAlerts, mount.volume, now):
            alerts.append(self.rng.choice(ALERTS))
            self.site.strike(number)
        mount.alerts = tuple(alerts)
        uncorrected = 0
        for number, bad in self.struck.striking(faults.MediaErrors, mount.volume, now):
            uncorrected = bad.errors
            self.site.strike(number)
        n_bytes, word = sum(file.n_bytes for file in mount.files), mount.mode.title()
        mount.counters = {
            f"mountTotalCorrected{word}Errors": self._corrected(mount, now, n_bytes),
            f"mountTotalUncorrected{word}Errors": uncorrected,
            f"mountTotal{word}BytesProcessed": n_bytes,
        }

    def _corrected(self, mount: Mount, now: int, n_bytes: int) -> int:
        usual = CORRECTED_PER_TB * n_bytes / 1e12 * exp(bell(self.rng, CORRECTED_SD))
        ill: list[tuple[int, faults.DriveErrors | faults.TapeErrors]] = [
            *self.struck.striking(faults.DriveErrors, mount.drive, now),
            *self.struck.striking(faults.TapeErrors, mount.volume, now),
        ]
        for number, fault in ill:
            usual *= fault.times
            self.site.strike(number)
        return round(usual)

    def _hang(self, mount: Mount, now: int) -> None:
        for number, fault in self.struck.striking(faults.HungSession, mount.drive, now):
            if not self.site.n_struck[number] and mount.files:
                mount.hangs_s = fault.hours * 3600
                self.site.strike(number, mount.hangs_s)
                self.site.spans[number] = now, now + 2 * HOUR + round(fault.hours * HOUR)

    # --- files ------------------------------------------------------------------------------------------------

    def _files(self, now: int) -> list[File]:
        wish = self.wish
        if wish.mode == "write":
            number = self.site.written[self.tape]
            self.site.written[self.tape] += wish.n_files
            return [self._written(number + n, now) for n in range(1, wish.n_files + 1)]
        number, step = 1 + self.rng.randrange(TAPE_FILES), 1
        is_scattered = any(self.struck.striking(faults.ScatteredFiles, disk_of(wish.vo), now))
        moved = []
        for _ in range(wish.n_files):
            moved.append(self._read(number, now))
            step = 1 + self.rng.randrange(60) if is_scattered else 1
            number += step
        return moved

    def _moving(self, now: int) -> tuple[int, float]:
        """Bytes of a file, and what its drive takes for them."""
        scenario, rng = self.site.scenario, self.rng
        size = int(1e9 * (scenario.smallest_gb + (scenario.largest_gb - scenario.smallest_gb) * rng.random()))
        seconds = size / (self.mb_s * 1e6) * (1 + bell(rng, FILE_SD))
        seconds *= RETRY_TIMES if rng.random() < RETRY_SHARE else 1
        slow: list[tuple[int, planted.SlowDrive | planted.BadTape]] = [
            *self.struck.striking(planted.SlowDrive, self.drive.name, now),
            # a cartridge is bad before it is noticed
            *self.struck.striking(planted.BadTape, self.tape, max(now, self.struck.from_at)),
        ]
        for number, fault in slow:
            self.site.strike(number, seconds / (1 - fault.slower) - seconds)
            seconds /= 1 - fault.slower
        return size, round(seconds, 6)

    def _written(self, number: int, now: int) -> File:
        size, seconds = self._moving(now)
        waits = some(self.rng, 0.1, 0.6)
        for place, fault in self.struck.striking(faults.StarvedWrites, disk_of(self.wish.vo), now):
            waits = max(waits, round(size / (fault.mb_s * 1e6) - seconds, 6))
            self.site.strike(place, waits)
        return File(number, size, seconds, 0.0, waits)

    def _read(self, number: int, now: int) -> File:
        size, seconds = self._moving(now)
        position, waits, disk = some(self.rng, 2, 6), some(self.rng, 0.05, 0.3), disk_of(self.wish.vo)
        for place, fault in self.struck.striking(faults.ScatteredFiles, disk, now):
            position = some(self.rng, 0.6 * fault.position_s, 1.4 * fault.position_s)
            self.site.strike(place, position)
        for place, stall in self.struck.striking(faults.StalledReads, disk, now):
            waits = max(waits, round(size / (stall.mb_s * 1e6) - seconds, 6))
            self.site.strike(place, waits)
        for place, failing in self.struck.striking(planted.TransferFailures, self.drive.name, now):
            if self.site.n_struck[place] < failing.times and self.rng.random() < 0.15:
                self.site.strike(place, position + 0.4 * seconds)
                return File(
                    number, 0, round(0.4 * seconds, 6), position, error="Failed to read block: Input/output error"
                )
        return File(number, size, seconds, position, waits)
