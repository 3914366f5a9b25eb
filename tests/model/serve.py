"""Serve a small real model on loopback until standard input ends; print the address first."""

import sys

import xllamacpp


def parameters(model: str) -> xllamacpp.CommonParams:
    """One request at a time, on one thread, the likeliest word always."""
    chosen = xllamacpp.CommonParams()
    chosen.model.path = model
    chosen.n_ctx = 4096
    chosen.n_parallel = 1
    chosen.cpuparams.n_threads = 1
    chosen.cpuparams_batch.n_threads = 1
    chosen.sampling.temp = 0.0
    chosen.port = 0
    return chosen


def main() -> None:
    server = xllamacpp.Server(parameters(sys.argv[1]))
    print(server.listening_address, flush=True)
    sys.stdin.read()


if __name__ == "__main__":
    main()
