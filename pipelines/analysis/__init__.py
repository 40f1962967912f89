"""What is concluded from the warehouse: findings, estimates, forecasts, case studies, and the models they use."""
