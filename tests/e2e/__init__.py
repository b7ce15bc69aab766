"""The agent over its stdio door, with the real Claude Code CLI and a scripted model."""
