"""Models: pure prediction, parameters in, forecast out."""
