"""The promises of the observer page, tried in a browser: `make observer`."""
