"""The embedded model: the real Claude Code on a scripted Messages API, with no account.

It must not know ACP: the demo and the end-to-end tests drive the CLI through it, nothing else.
"""
