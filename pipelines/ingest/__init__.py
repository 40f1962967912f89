"""Files to bronze. One object per file, `IncomingFile`, goes through these rooms, each once and in this order:

    steps.ingest       the public step
    run                the files that `config.files` finds, the writer's lock, batches: one transaction each
    workers            other processes read ahead, where there is much to read
    identify           what a file is on disk, what site.toml says of it, which source reads it
    load               one file through the rooms below
      plan             nothing to do, or where to begin: after a part that was read, or at the first line
      reading          what one process finds in it, without a lock: `parse_file` makes rows of lines and counts each
                       line, `rows` groups them by day
      succession       the rule: which rows of content read before go (`withdrawal`)
      registry         `ops.file` and `ops.place`, which hold the state of each file
      staging          rows that were read wait for the end of their batch, and are registered then

`pending` counts what an ingest would read; `survey` looks at logs that no site.toml names yet.
"""
