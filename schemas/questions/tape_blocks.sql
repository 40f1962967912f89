/*
title = "Are the blocks on tape large enough?"
topic = "drives"
why = "Each block costs a command to the drive, so small blocks hold a fast drive back. No log tells the block size: it is the fact tape_block_kb, of a drive, a mover's host, an archive system or a technology."
takes = ["last_day"]

[params.enough_kb]
type = "DOUBLE"
default = "256"
doc = "least advised: NASA's EOS archive went from 16 KB, which its software had wired in, to 256 KB"

[params.command_ms]
type = "DOUBLE"
default = "0.2"
doc = "what the host spends on a block besides moving it; a tenth to half a millisecond is usual"

[columns]
drive = { type = "VARCHAR", doc = "drive" }
generation = { type = "VARCHAR", doc = "technology" }
tape_block_kb = { type = "DOUBLE", unit = "KB", doc = "block size, of the nearest fact: drive, mover's host, system, technology; NULL where none tells it" }
said_of = { type = "VARCHAR", doc = "what that fact is of" }
nameplate_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "native rate of the drive" }
most_mb_s = { type = "DOUBLE", unit = "MB/s", doc = "most it can get with this block and cost of a command, native" }
advised_kb = { type = "DOUBLE", unit = "KB", doc = "block size advised: enough_kb, doubled until 95 % of the native rate can be had; NULL where the block is as large" }
*/
WITH said AS (
    SELECT d.drive, d.generation, d.nameplate_mb_s, f.number AS kb, f.entity AS said_of
    FROM site.drive d
    LEFT JOIN site.fact f ON f.name = 'tape_block_kb' AND f.entity IN (d.drive, d.mover_host, d.system, d.generation)
         AND f.number > 0 AND coalesce(f.since_day <= $last_day, true) AND coalesce(f.until_day > $last_day, true)
    QUALIFY row_number() OVER (
        PARTITION BY d.drive
        ORDER BY list_position([d.drive, d.mover_host, d.system, d.generation], f.entity) NULLS LAST) = 1
),
enough AS (
    -- at rate r a block of b bytes takes b / r, and the command c besides: b / (b / r + c) is 95 % of r at b = 19 r c
    SELECT *, greatest($enough_kb, 2 ** ceil(log2(19 * nameplate_mb_s * $command_ms))) AS wanted_kb FROM said
)
SELECT drive, generation, kb AS tape_block_kb, said_of, nameplate_mb_s,
       kb / (kb / nameplate_mb_s + $command_ms) AS most_mb_s,
       CASE WHEN kb < wanted_kb THEN wanted_kb END AS advised_kb
FROM enough
ORDER BY drive
