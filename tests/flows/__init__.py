"""Whole stories of the product, from a browser to the ledger."""
