"""What the README claims about speed, runnable: every figure beside its floor."""
