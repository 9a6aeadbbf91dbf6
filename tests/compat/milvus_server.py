"""The server of milvus-lite, and a relay before it that counts and holds back what is sent."""

import os
import socket
import ssl
import subprocess
import sys
import threading
import time

HOST = "127.0.0.1"
START_SECONDS = 90


def free_port():
    with socket.socket() as listener:
        listener.bind((HOST, 0))
        return listener.getsockname()[1]


class Server:
    """`milvus-lite server` on a folder of data. Leaving the block stops it."""

    def __init__(self, folder):
        self.folder, self.port, self.process = folder, free_port(), None
        self.url = f"http://{HOST}:{self.port}"

    def start(self):
        command = [os.path.join(os.path.dirname(sys.executable), "milvus-lite"), "server", "--host", HOST]
        command += ["--port", str(self.port), "--data-dir", str(self.folder / "data")]
        with open(self.folder / "server.log", "ab") as log:
            self.process = subprocess.Popen(command, stdout=log, stderr=log)
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as attempt:
                if attempt.connect_ex((HOST, self.port)) == 0:
                    return
            time.sleep(0.1)
        raise SystemExit(f"milvus-lite does not start; see {self.folder / 'server.log'}")

    def kill(self):
        self.process.kill()
        self.process.wait()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self.kill()


class Relay:
    """Passes bytes on to a server, with TLS towards the client if there is a certificate. After `limit` bytes from clients
    it is `full` and passes nothing on."""

    def __init__(self, port, limit=None, certificate=None):
        self.target, self.limit, self.sent = (HOST, port), limit, 0
        self.full, self.lock = threading.Event(), threading.Lock()
        self.listener = socket.create_server((HOST, 0))
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate)
            context.set_alpn_protocols(["h2"])
            self.listener = context.wrap_socket(self.listener, server_side=True)
        port = self.listener.getsockname()[1]
        self.url = f"{'https' if certificate else 'http'}://{HOST}:{port}"
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            try:
                client, _ = self.listener.accept()
            except ssl.SSLError:
                continue
            except OSError:
                return
            server = socket.create_connection(self.target)
            for source, sink, counted in ((client, server, True), (server, client, False)):
                threading.Thread(target=self.pass_on, args=(source, sink, counted), daemon=True).start()

    def pass_on(self, source, sink, counted):
        try:
            while data := source.recv(4096):
                if counted:
                    with self.lock:
                        self.sent += len(data)
                        if self.limit is not None and self.sent > self.limit:
                            self.full.set()
                    if self.full.is_set():
                        # What is held back is never passed on, not even when the client is gone.
                        return
                sink.sendall(data)
        except OSError:
            pass
        if not self.full.is_set():
            try:
                sink.shutdown(socket.SHUT_WR)
            except OSError:
                pass

    def close(self):
        self.listener.close()
