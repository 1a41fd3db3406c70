"""Ports of all eight detectors in Python, each written from its clauses alone. ports/all.py serves them all."""
