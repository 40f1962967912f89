"""Files to bronze. One object per file, `IncomingFile`, goes through these rooms, each once and in this order:

    steps.ingest       the public step
    run                the files of site.toml, the writer's lock, batches: one transaction each
    identify           what a file is on disk, what site.toml says of it, which source reads it
    load               one file through the rooms below
      plan             nothing to do, or where to begin: behind a part that was read, or at the first line
      parse_file       lines to rows, each line counted
      staging          rows wait for the end of their batch
      succession       the rule: which rows of content read before go (`withdrawal`)
      registry         `ops.file` and `ops.place`, which say what became of it

`pending` counts what an ingest would read; `survey` looks at logs that no site.toml names yet.
"""
