/*
title = "How does this archive compare with others?"
topic = "changes"
why = "Compares this archive's figures with figures of other sites, which are published or declared in site.toml. This shows whether a problem is specific to this archive or common to tape archives. To add another site, declare its figures in site.toml as facts of that site, e.g. read_overall_mb_s = 33."
takes = ["first_day", "last_day"]

[columns]
measure = { type = "VARCHAR", doc = "name of the compared figure, e.g. read_overall_mb_s. A fact in site.toml that gives another site's figure has the same name" }
site = { type = "VARCHAR", doc = "site that the figure describes: this site or another one" }
low = { type = "DOUBLE", doc = "the figure, or the low end of a published range. The end of the measure's name gives the unit: MB/s for _mb_s, s for _s, number of files for files_a_mount. Figures with other names are shares" }
high = { type = "DOUBLE", doc = "the figure, or the high end of a published range" }
own_is = { type = "DOUBLE", unit = "1", doc = "this archive's figure / the other site's figure. For a range, the nearer end is used. 1 if this archive's figure is inside the range. NULL where this archive has no such figure, and in this archive's own row" }
year = { type = "VARCHAR", doc = "year of the figure; NULL for this archive's figure, and where the year is not known" }
source = { type = "VARCHAR", doc = "document, measurement or file that the figure comes from" }
*/
WITH published (measure, site, low, high, year, source) AS (
    VALUES
        ('read_drive_mb_s', 'PIC', 80e0, 110e0, 2009, 'STEP''09: usual servers, powerful servers'),
        ('read_overall_mb_s', 'PIC', 30e0, 35e0, 2009, 'STEP''09: LTO-4, files picked'),
        ('read_f', 'PIC', 0.375e0, 0.4375e0, 2009, 'STEP''09: 30 to 35 of 80 MB/s'),
        ('write_overall_mb_s', 'PIC', 25e0, 25e0, 2009, 'STEP''09: LTO-4'),
        ('write_f', 'PIC', 0.417e0, 0.417e0, 2009, 'STEP''09: 25 of 60 MB/s'),
        ('read_files_a_mount', 'PIC', 10.7e0, 10.7e0, 2009, 'STEP''09: 1500 files in 140 mounts a day'),
        ('gap_s', 'FNAL', 10e0, 10e0, NULL, 'migration stations: metadata between files'),
        ('duty', 'FNAL', 0.4e0, 0.8e0, NULL, 'migration stations dm6, dm7, dm8, dm12'),
        ('read_efficiency', 'NASA EOS', 0.32e0, 0.32e0, 1997, 'AMASS tuned: 29 MB/s of eight drives of 11.2'),
        ('write_efficiency', 'NASA EOS', 0.52e0, 0.52e0, 1997, 'AMASS tuned: 47 MB/s of eight drives of 11.2'),
        ('read_efficiency', 'CERN', 0.03e0, 0.1e0, 2005, 'sizing note: chaotic reading, 9940B'),
        ('write_efficiency', 'HPC2N', 0.5e0, 0.5e0, NULL, 'tape pools: 60 of 120 MB/s')
),
rated AS (
    SELECT s.mode, sum(s.volume_gb) AS gb, sum(s.n_files) AS n_files, count(*) AS n_mounts,
           sum(s.volume_gb) FILTER (s.wall_s IS NOT NULL AND d.nameplate_mb_s IS NOT NULL) * 1e3
               / sum(s.wall_s * d.nameplate_mb_s) FILTER (s.wall_s IS NOT NULL AND d.nameplate_mb_s IS NOT NULL) AS efficiency
    FROM gold.mount s LEFT JOIN site.drive d ON d.drive = s.drive
    WHERE s.site_day BETWEEN $first_day AND $last_day AND s.mode IN ('read', 'write')
    GROUP BY s.mode
),
-- completely logged mounts, on the basis of most of their bytes
walled AS (
    SELECT mode, sum(volume_gb) AS gb, sum(drive_s) AS drive_s, sum(wall_s) AS wall_s
    FROM gold.mount
    WHERE site_day BETWEEN $first_day AND $last_day AND mode IN ('read', 'write') AND wall_s IS NOT NULL
      AND drive_rate_basis <> 'mixed'
    GROUP BY mode, drive_rate_basis
    QUALIFY row_number() OVER (PARTITION BY mode ORDER BY gb DESC, drive_rate_basis) = 1
),
gap AS (
    SELECT arg_min(avoidable_s, CASE WHEN below * 2 >= n THEN avoidable_s END) AS p50_s
    FROM (SELECT avoidable_s, sum(sum(n_gaps)) OVER (ORDER BY avoidable_s) AS below, sum(sum(n_gaps)) OVER () AS n
          FROM gold.gap_length WHERE day BETWEEN $first_day AND $last_day GROUP BY avoidable_s)
),
duty AS (
    SELECT sum(n_active) / nullif(sum(n_bins), 0) AS duty FROM gold.duty_factor
    WHERE day BETWEEN $first_day AND $last_day AND direction = 'in' AND role <> 'scanning'
),
own AS (
    SELECT mode || '_drive_mb_s' AS measure, gb * 1e3 / nullif(drive_s, 0) AS value FROM walled
    UNION ALL SELECT mode || '_overall_mb_s', gb * 1e3 / nullif(wall_s, 0) FROM walled
    UNION ALL SELECT mode || '_f', drive_s / nullif(wall_s, 0) FROM walled
    UNION ALL SELECT mode || '_files_a_mount', n_files / n_mounts FROM rated
    UNION ALL SELECT mode || '_efficiency', efficiency FROM rated
    UNION ALL SELECT 'gap_s', p50_s FROM gap
    UNION ALL SELECT 'duty', duty FROM duty
),
other AS (
    SELECT measure, site, low, high, year, source FROM published
    UNION ALL
    SELECT name, entity, number, number, year(since_day), 'site.toml'
    FROM site.fact
    WHERE name IN (SELECT measure FROM own UNION SELECT measure FROM published) AND number IS NOT NULL
      AND entity NOT IN (SELECT station FROM site.station UNION SELECT drive FROM site.drive)
)
SELECT o.measure, o.site, o.low, o.high,
       CASE WHEN w.value BETWEEN o.low AND o.high THEN 1 ELSE w.value / CASE WHEN w.value < o.low THEN o.low ELSE o.high END END
           AS own_is,
       CAST(o.year AS VARCHAR) AS year, o.source
FROM other o LEFT JOIN own w ON w.measure = o.measure
UNION ALL
SELECT w.measure, c.name, w.value, w.value, NULL, NULL, 'this archive, in the period'
FROM own w CROSS JOIN site.setting c WHERE w.value IS NOT NULL
ORDER BY measure, year NULLS FIRST, site
