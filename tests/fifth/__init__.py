"""A house with a fifth game in it, to show that table, ledger and pages ask the engine alone."""
