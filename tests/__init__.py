"""The promises Behest makes, each a test."""
