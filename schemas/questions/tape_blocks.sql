/*
title = "Are the blocks on tape large enough?"
topic = "drives"
why = "Each block costs a command to the drive, so small blocks slow down a fast drive. Logs do not show the block size. Declare it in site.toml, as the fact `tape_block_kb` of a drive, mover host, archive system or technology."
takes = ["last_day"]

[params.enough_kb]
type = "DOUBLE"
default = "256"
doc = "smallest block size to advise. For comparison: NASA's EOS archive increased its blocks from 16 KB to 256 KB"

[params.command_ms]
type = "DOUBLE"
default = "0.2"
doc = "time that the host needs for each block in addition to moving its data; usually 0.1 to 0.5 ms"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology of the drive, e.g. LTO-4" }
tape_block_kb = { type = "DOUBLE", unit = "KB", doc = "block size from the fact `tape_block_kb` in site.toml. The fact is looked up in this order: drive, mover host, archive system, technology. NULL if none of them has it" }
declared_for = { type = "VARCHAR", was = "said_of", doc = "name of the drive, mover host, archive system or technology for which site.toml declares the block size; NULL where it declares none" }
nameplate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "native rate of the drive" }
most_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "highest rate that is possible with tape_block_kb and the assumed time per block (command_ms); NULL where tape_block_kb or the native rate is not known" }
advised_kb = { type = "DOUBLE", unit = "KB", doc = "advised block size: the smallest power of two that reaches 95 % of the native rate, but at least enough_kb. It is enough_kb if the native rate is not known. NULL where the blocks are already that large, or their size is not known" }
*/
WITH declared AS (
    SELECT d.drive, d.generation, d.nameplate_mb_s, f.number AS kb, f.entity AS declared_for
    FROM site.drive d
    LEFT JOIN site.fact f ON f.name = 'tape_block_kb' AND f.entity IN (d.drive, d.mover_host, d.system, d.generation)
         AND f.number > 0 AND coalesce(f.since_day <= $last_day, true) AND coalesce(f.until_day > $last_day, true)
    QUALIFY row_number() OVER (
        PARTITION BY d.drive
        ORDER BY list_position([d.drive, d.mover_host, d.system, d.generation], f.entity) NULLS LAST) = 1
),
enough AS (
    -- at rate r a block of b bytes takes b / r, and the command adds c: b / (b / r + c) is 95 % of r at b = 19 r c
    SELECT *, greatest($enough_kb, 2 ** ceil(log2(19 * nameplate_mb_s * $command_ms))) AS needed_kb FROM declared
)
SELECT drive, generation, kb AS tape_block_kb, declared_for, nameplate_mb_s,
       kb / (kb / nameplate_mb_s + $command_ms) AS most_mb_s,
       CASE WHEN kb < needed_kb THEN needed_kb END AS advised_kb
FROM enough
ORDER BY drive
