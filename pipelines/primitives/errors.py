"""Every error tapescope raises. A class exists only where a caller acts on it."""


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


class AmbiguousSource(TapescopeError):
    """Two sources claim one file: a bug in their `recognise`; the message names both."""


class UnreadableFile(TapescopeError):
    """The file as a whole cannot be read; `reason` is one of `protocol.FILE_REASONS`."""

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
    """Another process holds the writer's lock; Airflow retries."""

    exit_code = 75
