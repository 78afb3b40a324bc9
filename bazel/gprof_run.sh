#!/bin/sh
export GMON_OUT_PREFIX=$TEST_UNDECLARED_OUTPUTS_DIR/gmon
exec "$@"
