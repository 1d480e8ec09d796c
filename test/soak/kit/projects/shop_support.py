"""What the tests share: a client of the sandbox beside them, its levers, and a receiver of webhooks."""
import json
import os
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SERVICE, CONTROL = os.environ["SVC_SANDBOX_URL"], os.environ["SVC_CONTROL_URL"]
DOCUMENT = {"type": "V", "number": "12345678"}
MONEY = {"country": "VE", "currency": "VES"}
PAYER = {"bank_code": "0102", "document": DOCUMENT}
DEBIT = {"method": "debit_otp", **MONEY, "amount": "10.00", "payer": {**PAYER, "phone": "04121234567"}}
PAYOUT = {"method": "mobile_payment", **MONEY, "amount": "10.00", "beneficiary": {**PAYER, "account_number": "04121234567"}}


def transfer(amount):
    return {"method": "incoming_transfer", **MONEY, "amount": amount, "payer": PAYER}


def call(url, body=None, **headers):
    data = None if body is None else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"Content-Type": "application/json", **headers})
    with urllib.request.urlopen(request, timeout=20) as answer:
        return json.load(answer)


def service(path, body=None, key=None):
    headers = {"Authorization": "Bearer " + os.environ["SVC_API_KEY"]}
    return call(f"{SERVICE}/v2/{path}", body, **headers, **({"Idempotency-Key": key or os.urandom(8).hex()} if body else {}))


def control(path, body=None):
    return call(f"{CONTROL}/{path}", body)


def advance(by):
    control("clock", {"advance": by})


class Receiver:
    """Keeps what arrives, in order."""

    def __init__(self):
        self.events = []
        receiver = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                receiver.events.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
                self.send_response(200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        service("webhook-endpoints", {"url": f"http://127.0.0.1:{self.server.server_port}/"})

    def ids(self):
        return [event["data"]["id"] for event in self.events]

    def wait_for(self, count):
        until = time.monotonic() + 10
        while len(self.events) < count and time.monotonic() < until:
            time.sleep(0.01)
        return self.ids()
