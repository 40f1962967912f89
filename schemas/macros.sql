-- Macros that our SQL uses, in DuckDB's own SQL. `tapescope attach` prints them, so that any client has them.
-- An instant is a TIMESTAMP in UTC, a zone a name of the time zone database, as site.setting.zone.

-- The two ways of timezone(). A connection to a warehouse knows its site's zone and names it as a literal: with the zone
-- of a column DuckDB looks it up for each row, which takes seven times as long.
CREATE OR REPLACE TEMP MACRO in_zone(given, zone) AS timezone(zone, given);

-- What the site's clocks show at an instant.
CREATE OR REPLACE TEMP MACRO site_time(instant, zone) AS in_zone(timezone('UTC', instant), zone);

-- The site's calendar day of an instant.
CREATE OR REPLACE TEMP MACRO site_day(instant, zone) AS CAST(site_time(instant, zone) AS DATE);

-- The site's calendar days that the time from one instant up to another touches, as a list.
CREATE OR REPLACE TEMP MACRO site_days(from_at, to_at, zone) AS
    CAST(range(CAST(site_day(from_at, zone) AS TIMESTAMP), site_time(to_at, zone), INTERVAL 1 DAY) AS DATE[]);

-- The instants at which a calendar day of the site starts and ends, 23 to 25 hours apart.
CREATE OR REPLACE TEMP MACRO day_begin(day, zone) AS timezone('UTC', in_zone(CAST(day AS TIMESTAMP), zone));
CREATE OR REPLACE TEMP MACRO day_end(day, zone) AS
    timezone('UTC', in_zone(CAST(day AS TIMESTAMP) + INTERVAL 1 DAY, zone));

-- Whether an instant is within the site's days from the first to the last.
CREATE OR REPLACE TEMP MACRO in_days(instant, first_day, last_day, zone) AS
    instant >= day_begin(first_day, zone) AND instant < day_end(last_day, zone);

-- Whether a UTC day, or an instant, can belong to the site's days from the first to the last. It is wider than in_days
-- and needs no zone, so that the lake reads only files of those days: use it on the column that its files are laid out by.
CREATE OR REPLACE TEMP MACRO near_days(day, first_day, last_day) AS
    day >= CAST(first_day AS DATE) - 1 AND day < CAST(last_day AS DATE) + 2;

-- The same of an interval, which may touch them.
CREATE OR REPLACE TEMP MACRO span_near_days(from_at, to_at, first_day, last_day) AS
    from_at < CAST(last_day AS DATE) + 2 AND to_at >= CAST(first_day AS DATE) - 1;

-- When the transfer of a file ended. Within a second of its log a file is a point at its beginning, and counts there.
CREATE OR REPLACE TEMP MACRO file_end(started_at, ended_at) AS
    greatest(coalesce(ended_at, started_at), started_at + INTERVAL 1 MICROSECOND);

-- What of a whole number falls into the first part of a time, rounded down. Most parts are all of it: then nothing is
-- multiplied, which for numbers of this length takes as long as all else in a query.
CREATE OR REPLACE TEMP MACRO part_of(number, part_us, whole_us) AS
    CASE WHEN part_us = whole_us AND whole_us <> 0 THEN CAST(number AS BIGINT)
         WHEN part_us = 0 AND whole_us <> 0 THEN 0 * CAST(number AS BIGINT)
         ELSE CAST(CAST(number AS HUGEINT) * part_us // whole_us AS BIGINT) END;

-- Of sums over mounts measured in one way, complete or not, the ones that rates come from. Times measured in different ways do
-- not add up. The best known: mounts with both rates, else with the overall rate, else with the drive rate; then most bytes.
CREATE OR REPLACE TEMP MACRO main_mounts(basis, is_whole, bytes, drive_us, wall_us) AS
    max({'has_both': basis IS NOT NULL AND is_whole, 'is_whole': is_whole, 'bytes': bytes, 'basis': basis,
         'drive_us': drive_us, 'wall_us': wall_us});

-- Functions of other databases that people expect.
CREATE OR REPLACE TEMP MACRO iif(condition, yes, no) AS CASE WHEN condition THEN yes ELSE no END;
CREATE OR REPLACE TEMP MACRO width_bucket(x, low, high, n) AS
    CASE WHEN x < low THEN 0 WHEN x >= high THEN n + 1
         ELSE CAST(floor((x - low) / (high - low) * n) AS BIGINT) + 1 END;

-- A text of which tables keep 300 characters, with a mark where its end may be lost.
CREATE OR REPLACE TEMP MACRO kept_text(text) AS
    CASE WHEN length(text) < 300 THEN text ELSE rtrim(left(text, 299)) || '…' END;

-- A host without its domain; an address stays unchanged.
CREATE OR REPLACE TEMP MACRO short_host(host) AS
    CASE WHEN regexp_full_match(host, '[0-9.]+|.*:.*') THEN host ELSE split_part(host, '.', 1) END;
