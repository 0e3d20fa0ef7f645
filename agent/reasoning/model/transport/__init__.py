"""Calls to an endpoint: bounded, metered, retried, its dialect learnt."""
