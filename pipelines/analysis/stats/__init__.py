"""Pure statistics: numbers in, numbers out."""
