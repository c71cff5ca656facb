"""A trained network answers requests over HTTP, from a file that holds it whole.

    python serve.py            # answers one request of its own, and ends
    python serve.py --port 8000
    curl -d '[[0.5, 0.5], [-0.5, 0.8]]' http://127.0.0.1:8000

The file is made by `ms.export` and needs none of the network's code; it takes any number of rows.
"""

import argparse
import json
import tempfile
import threading
import urllib.request
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import numpy as np

import sporax as ms
from sporax import dataset, nn, train


def exported(path: Path) -> None:
    """Train a network that multiplies two numbers, and write it to a file."""
    ms.set_seed(1)
    x = np.random.default_rng(0).uniform(-1, 1, (1024, 2)).astype(np.float32)
    network = nn.SequentialCell(nn.Dense(2, 32, activation="tanh"), nn.Dense(32, 1))
    model = train.Model(network, nn.MSELoss(), nn.Adam(network.trainable_params(), 0.01))
    model.train(15, dataset.NumpySlicesDataset({"x": x, "y": x[:, :1] * x[:, 1:]}).batch(32))
    network.set_train(False)
    ms.export(network, ms.Tensor(shape=[None, 2], dtype=ms.float32), file_name=path, file_format="MINDIR")


def server(path: Path, port: int) -> HTTPServer:
    """Return a server that answers lists of pairs with lists of products."""
    network = nn.GraphCell(ms.load(str(path)))

    class Answer(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            pairs = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            products = network(ms.Tensor(np.float32(pairs))).asnumpy()
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(products[:, 0].tolist()).encode())

        def log_message(self, *args: object) -> None:
            """Print nothing."""

    return HTTPServer(("127.0.0.1", port), Answer)


def main() -> None:
    """Serve until interrupted, or, without a port, for one request."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--port", type=int, default=0, help="serve at this port until Ctrl-C")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "product.mindir")
        exported(path)
        with server(path, args.port) as answering:
            if args.port:
                print(f"http://127.0.0.1:{args.port}; Ctrl-C ends it")
                answering.serve_forever()
            threading.Thread(target=answering.serve_forever, daemon=True).start()
            pairs = [[0.5, 0.5], [-0.5, 0.8], [0.9, -0.9]]
            address = f"http://127.0.0.1:{answering.server_port}"
            with urllib.request.urlopen(urllib.request.Request(address, json.dumps(pairs).encode())) as reply:
                for (a, b), product in zip(pairs, json.load(reply), strict=True):
                    print(f"{a:5.2f} · {b:5.2f} = {product:6.3f}")
            answering.shutdown()


if __name__ == "__main__":
    main()
