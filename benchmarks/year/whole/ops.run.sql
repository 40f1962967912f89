SELECT epoch_ms(1000 * epoch(getvariable('begin_day') + CAST(b.number AS INTEGER))::BIGINT) AS started_at, s.step, 'done' AS outcome,
       60 AS elapsed_s, '{}' AS counts
FROM lake.ops.build b CROSS JOIN (VALUES ('ingest'), ('build'), ('detect'), ('forecast'), ('report')) s (step)
