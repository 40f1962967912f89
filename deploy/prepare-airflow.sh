#!/bin/sh
# What Airflow needs before it starts: its tables, and an Airflow pool with one slot for tasks that write the warehouse
# (more slots, TAPESCOPE_POOL_SLOTS, only make tasks wait in a worker). Safe to run again.
set -eu
: "${TAPESCOPE_POOL:?the name of the pool, the same for all of Airflow}"
airflow db migrate
airflow pools set "$TAPESCOPE_POOL" "${TAPESCOPE_POOL_SLOTS:-1}" "tasks that write the tapescope warehouse"
