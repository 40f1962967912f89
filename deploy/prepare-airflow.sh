#!/bin/sh
# What Airflow needs before it starts: its tables, and the pool of one slot for tasks that write the warehouse (with a
# PostgreSQL catalogue give it more: TAPESCOPE_POOL_SLOTS). Safe to run again.
set -eu
: "${TAPESCOPE_POOL:?the name of the pool, the same for all of Airflow}"
airflow db migrate
airflow pools set "$TAPESCOPE_POOL" "${TAPESCOPE_POOL_SLOTS:-1}" "tasks that write the tapescope warehouse"
