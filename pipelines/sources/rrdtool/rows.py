"""Lines of rrdtool's outputs into bins: their end, length, consolidation and values."""

import polars as pl

from pipelines.sources.protocol import Carry
from pipelines.sources.rrdtool.heads import Head

EARLIEST, LATEST = 631_152_000, 4_102_444_800  # 1990 to 2100
_TAGS = (
    "rrd|version|step|lastupdate|ds|name|type|minimal_heartbeat|min|max|last_ds|value|unknown_sec|cdef|rra|cf|"
    "pdp_per_row|params|xff|cdp_prep|primary_value|secondary_value|unknown_datapoints|database|xport|meta|start|end|"
    r"rows|columns|legend|entry|data|hw_alpha|hw_beta|seasonal_gamma|seasonal_smooth_idx|smoothing_window|"
    r"rra_ptr|delta_pos|delta_neg|window_len|failure_threshold|intercept|last_intercept|slope|last_slope|nan_count|"
    r"last_nan_count|seasonal|last_seasonal|init_flag|history"
)
_XML = rf"^\s*(?:<!--.*?-->\s*|<\?xml[^>]*>\s*|<!DOCTYPE[^>]*>\s*|</?(?:{_TAGS})>[^<]*|<(?:{_TAGS})/>\s*)*$"
_JSON = r'^\s*(?:[{}\[\]],?|"\w+":.*|"[^"]*",?|[{}\]]\s*,?)?\s*$|^\s*\{\s*"about":.*$'
_ROW = {
    "dump": r"<row>",
    "xport": r"<row>",
    "json": r'^\s*\[\s*(?:"?-?\d|null|-?nan|NaN)',
    "fetch": r"^\s*\S+:",
}
_TIME = {
    "dump": r"/\s*(\d+)\s*-->\s*<row>",
    "xport": r"<row><t>\s*(\d+)\s*</t>",
    "json": r'^\s*\[\s*"(\d+)"',
    "fetch": r"^\s*(\d+):",
}
_SHAPE = {
    "dump": r"^\s*(?:<!--[^>]*-->\s*)?<row>(?:\s*<v>[^<]*</v>)+\s*</row>\s*$",
    "xport": r"^\s*<row>(?:<t>[^<]*</t>)?(?:\s*<v>[^<]*</v>)+\s*</row>\s*$",
    "json": r"^\s*\[[^\[\]]*\]\s*,?\s*$",
    "fetch": r"^\s*\d+:(?:\s+\S+)+\s*$",
}
_VALUE = {
    "dump": r"<v>([^<]*)</v>",
    "xport": r"<v>([^<]*)</v>",
    "json": r"(?:[\[,]\s*)([^\s,\[\]\"]+)",
    "fetch": r"\s(\S+)",
}
START: Carry = {"cf": None, "pdp": None, "rra": 0, "last": [None, None], "n_unreadable": 0, "n_rows": 0}


def bins(lines: pl.DataFrame, head: Head, state: Carry) -> pl.DataFrame:
    """Every line: is it a row, the end and length of its bin, its archive's number and consolidation, its values.

    `reason` is why a line is rejected; `is_empty` says that no value of the bin is known.
    """
    text = pl.col("text")
    is_row = text.str.contains(_ROW[head.layout])
    frame = lines.with_columns(is_row=is_row, is_other=_is_other(head))
    frame = _archives(frame, head, state)
    frame = frame.with_columns(
        rank=pl.col("is_row").cast(pl.Int64).cum_sum() - 1 + state["n_rows"],
        values=pl.when("is_row").then(_values(head)),
    ).with_columns(to_t=pl.when("is_row").then(_ends(head)))
    frame = frame.with_columns(number=pl.col("values").list.eval(_as_number(pl.element())))
    frame = _in_order(frame, state)
    return frame.with_columns(
        reason=_reason(head),
        is_empty=pl.col("number").list.eval(pl.element().is_nan()).list.all().fill_null(False),
    )


def _is_other(head: Head) -> pl.Expr:
    text = pl.col("text")
    if head.layout == "fetch":
        return (text.str.strip_chars() == "") | (
            text.str.strip_chars().str.split(" ").list.eval(pl.element().filter(pl.element() != ""))
            == pl.lit(list(head.names))
        )
    return text.str.contains(_JSON if head.layout == "json" else _XML)


def _archives(frame: pl.DataFrame, head: Head, state: Carry) -> pl.DataFrame:
    """The archive of a dump that a line is in, its consolidation and its bins' length; others have one archive."""
    if head.layout != "dump":
        return frame.with_columns(
            cf=pl.lit("AVERAGE"), rra=pl.lit(1, dtype=pl.Int64), span_s=pl.lit(head.step_s, dtype=pl.Int64)
        )
    text = pl.col("text")
    opens = text.str.contains("<rra>", literal=True)
    # an archive whose head is damaged must not be read with the head of the one before
    cf = pl.coalesce(text.str.extract(r"<cf>\s*(\w+)\s*</cf>"), pl.when(opens).then(pl.lit("")))
    pdp = pl.coalesce(
        text.str.extract(r"<pdp_per_row>\s*(\d{1,9})\s*</pdp_per_row>").cast(pl.Int64), pl.when(opens).then(0)
    )
    frame = frame.with_columns(
        cf=cf.forward_fill().fill_null(pl.lit(state["cf"], dtype=pl.String)),
        pdp=pdp.forward_fill().fill_null(pl.lit(state["pdp"], dtype=pl.Int64)),
        rra=opens.cast(pl.Int64).cum_sum() + state["rra"],
    )
    if frame.height:
        state["cf"], state["pdp"], state["rra"] = frame["cf"][-1], frame["pdp"][-1], int(frame["rra"][-1])
    return frame.with_columns(span_s=pl.col("pdp") * head.step_s)


def _values(head: Head) -> pl.Expr:
    text = pl.col("text")
    if head.layout == "json":  # the time is in quotes
        text = text.str.replace(r'^\s*\[\s*"\d+"\s*,', "[")
    return text.str.extract_all(_VALUE[head.layout]).list.eval(
        pl.element().str.replace_all(r"</?v>|[\[\],\s]" if head.layout != "fetch" else r"\s", "")
    )


def _as_number(value: pl.Expr) -> pl.Expr:
    """A value as number, NaN for what is unknown, null for what is neither."""
    plain = value.str.replace(",", ".", literal=True).str.to_lowercase()
    unknown = plain.is_in(["nan", "-nan", "+nan", "null", "u"])
    number = pl.when(plain.str.contains(r"^[-+]?\d+(\.\d*)?(e[-+]?\d+)?$")).then(plain).cast(pl.Float64, strict=False)
    return pl.when(unknown).then(float("nan")).when(number.is_finite()).then(number)


def _ends(head: Head) -> pl.Expr:
    if head.has_times:
        t = pl.col("text").str.extract(_TIME[head.layout]).cast(pl.Int64, strict=False)
        return pl.when(t.is_between(EARLIEST, LATEST)).then(t)
    return head.start + pl.col("rank") * head.step_s


def _in_order(frame: pl.DataFrame, state: Carry) -> pl.DataFrame:
    """`before`: the latest end among the rows of the same archive so far; `n_unreadable`: unreadable lines so far."""
    last_rra, last = state["last"]
    on_grid = pl.col("is_row") & (pl.col("to_t") % pl.col("span_s") == 0)
    carried = pl.when(pl.col("rra") == pl.lit(last_rra, dtype=pl.Int64)).then(pl.lit(last, dtype=pl.Int64))
    frame = (
        frame.with_columns(whole=pl.when(on_grid).then("to_t"))
        .with_columns(reached=pl.col("whole").cum_max().forward_fill().over("rra"))
        .with_columns(
            before=pl.max_horizontal(pl.col("reached").shift(1).over("rra"), carried),
            n_unreadable=(~pl.col("is_row") & ~pl.col("is_other")).cast(pl.Int64).cum_sum() + state["n_unreadable"],
        )
    )
    if frame.height:
        now = frame.select(pl.max_horizontal("reached", carried)).to_series()[-1]
        state["last"] = [int(frame["rra"][-1]), now]
        state["n_unreadable"] = int(frame["n_unreadable"][-1])
        state["n_rows"] += int(frame["is_row"].sum())
    return frame


def _reason(head: Head) -> pl.Expr:
    t, span = pl.col("to_t"), pl.col("span_s")
    # rows without a time are counted: an unreadable line, which may be a row, shifts all that follow
    moved = pl.lit(False) if head.has_times else pl.col("n_unreadable") > 0
    return (
        pl.when(~pl.col("is_row"))
        .then(pl.when(~pl.col("is_other")).then(pl.lit("bad_syntax")))
        .when(~pl.col("text").str.contains(_SHAPE[head.layout]))
        .then(pl.lit("bad_syntax"))
        .when(~((span > 0) & (pl.col("cf") != "")).fill_null(False))
        .then(pl.lit("no_header"))
        .when(pl.col("values").list.len() != len(head.names))
        .then(pl.lit("wrong_width"))
        .when(t.is_null() | (t % span != 0) | moved)
        .then(pl.lit("bad_time"))
        .when((t <= pl.col("before")).fill_null(False))
        .then(pl.lit("out_of_order"))
        .when(pl.col("number").list.eval(pl.element().is_null() | (pl.element() < 0)).list.any())
        .then(pl.lit("bad_number"))
    )
