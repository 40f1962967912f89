SELECT b.build_id, 'silver.relation_' || n.number AS relation, 'ExpectColumnValuesToBeBetween' AS expectation, '{}' AS arguments,
       'warning' AS severity, CASE WHEN rnd(b.number, n.number, 7) < 0.001 THEN 'failed' ELSE 'passed' END AS outcome,
       0 AS n_failing
FROM lake.ops.build b CROSS JOIN (SELECT unnest(range(80)) AS number) n
