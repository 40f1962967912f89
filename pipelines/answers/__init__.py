"""Questions, ad hoc SQL in a confined process, and the way from a number to its log lines."""
