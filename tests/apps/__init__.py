"""Six real web applications, and what their users would say to Behest.

Each application has a module that installs, starts and stops it and reads its data, and a table of
sentences beside it. ``python -m tests.apps`` says them to a real daemon and compares the data.
"""
