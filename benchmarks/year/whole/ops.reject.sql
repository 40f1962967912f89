SELECT file_id, unnest([17, 4711]) AS line_no, 'bad_number' AS reason, 'Mar 10 1x:00:01 torn by a crash' AS text
FROM lake.ops.file
