"""Verifies evidence of svc offline: Python's standard library, written from docs/formats alone."""
