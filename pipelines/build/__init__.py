"""Bronze to silver, gold and ops, by days, and the checks that guard each commit."""
