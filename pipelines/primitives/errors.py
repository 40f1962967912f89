"""Every error tapescope raises.

TapescopeError                  has .hint, one sentence on what to do
├── ConfigError                 site.toml is wrong or missing                    exit 2
│   └── NoWarehouse             nothing was ever read for this site              exit 2
├── SourceError
│   ├── AmbiguousSource         two sources claim one file                       a bug: names both
│   └── UnreadableFile          unknown header, not text, no usable clock        `parse`: exit 5
├── ContractError               rows or a SELECT differ from their header        stops the step
├── QuestionRefused             a statement the guard does not let through       exit 2
├── CheckFailed                 a critical check failed                          exit 3, nothing committed
├── NothingRead                 no file was there, or none could be read         exit 5
└── WarehouseBusy               another process is writing                       exit 75; Airflow retries

A class exists only where a caller acts on it.
"""


class TapescopeError(Exception):
    """Base of all; `hint` says in one sentence what to do next."""

    exit_code = 1

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class ConfigError(TapescopeError):
    """`site.toml` is wrong or missing; the message lists every mistake found."""

    exit_code = 2


class NoWarehouse(ConfigError):
    """Nothing was ever read for this site: the dashboard offers to begin."""


class SourceError(TapescopeError):
    """A file cannot be turned into records."""


class AmbiguousSource(SourceError):
    """Two sources claim one file: a bug in their `recognise`."""


class UnreadableFile(SourceError):
    """The file as a whole cannot be read; `reason` is one of `records.FILE_REASONS`."""

    exit_code = 5

    def __init__(self, message: str, hint: str = "", reason: str = "unknown_header") -> None:
        super().__init__(message, hint)
        self.reason = reason


class ContractError(TapescopeError):
    """Rows, or the columns of a SELECT, differ from what their header promises."""


class QuestionRefused(TapescopeError):
    """The SQL guard does not run this statement, or stopped it."""

    exit_code = 2


class CheckFailed(TapescopeError):
    """A critical check failed: nothing was committed."""

    exit_code = 3


class NothingRead(TapescopeError):
    """There was no file to read, or nothing in it could be read."""

    exit_code = 5


class WarehouseBusy(TapescopeError):
    """Another process holds the writer's lock."""

    exit_code = 75
