"""A small shop: it asks for money by a code or by a transfer, and ships what was paid. It needs only Python's own library."""

import hashlib
import hmac
import http.client
import json
import threading
import time
import urllib.error
import urllib.request
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

ATTEMPTS = 3
TOLERANCE_SECONDS = 300


class Refused(Exception):
    """The service refused the request, and would refuse it again."""

    def __init__(self, status, code):
        super().__init__(f"{status} {code}")
        self.status, self.code = status, code


class Open(Exception):
    """The outcome of a request is unknown, or the service asks to send it later: after `retry_after` seconds."""

    def __init__(self, why, retry_after=0):
        super().__init__(why)
        self.retry_after = retry_after


def is_authentic(headers, body, secrets, now=None):
    """Checks the signature of a delivery over the bytes as they arrived, before anything parses them."""
    timestamp = headers.get("X-Timestamp") or ""
    if not (timestamp.isascii() and timestamp.isdigit()):
        return False
    if abs((time.time() if now is None else now) - int(timestamp)) > TOLERANCE_SECONDS:
        return False
    expected = [
        "v1=" + hmac.new(secret.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest()
        for secret in secrets
    ]
    claimed = (headers.get("X-Firma") or "").encode("latin-1", "replace").split(b" ")
    return any(hmac.compare_digest(one.encode(), given) for one in expected for given in claimed)


class Shop:
    def __init__(self, service_url, api_key):
        self.service_url, self.api_key = service_url, api_key
        self.orders, self.shipped = {}, []
        self._handled, self._secrets = set(), []
        # Deliveries arrive on several threads, and each event must be handled only once.
        self._one_at_a_time = threading.Lock()

    def pay_by_code(self, order, amount, payer):
        """The bank sends the payer a code: pass it to enter_code."""
        return self._collect(order, {"method": "debit_otp", "amount": amount, "payer": payer})

    def pay_by_transfer(self, order, amount, payer):
        """The payer sends the money; the answer says how long the service waits for it."""
        return self._collect(order, {"method": "incoming_transfer", "amount": amount, "payer": payer})

    def enter_code(self, payin, code):
        """Sends the code once. If there is no answer, read the pay-in, because a code works only once."""
        return self._ask(f"/v2/payins/{payin}/confirm", {"code": code})

    def register_webhook(self, url):
        secret = self._ask("/v2/webhook-endpoints", {"url": url})["secret"]
        self._secrets = [secret, *self._secrets][:2]

    def take(self, headers, body):
        """Returns the status that answers a delivery: 2xx only after the event is handled."""
        if not is_authentic(headers, body, self._secrets):
            return 401
        try:
            event = json.loads(body)
        except ValueError:
            return 400
        with self._one_at_a_time:
            return self._handle(event)

    def _handle(self, event):
        if event["id"] in self._handled:
            return 200
        order = event.get("data", {}).get("reference")
        if event["type"] == "payin.confirmed":
            self.orders[order] = "paid"
            self.shipped.append(order)
        if event["type"] == "payin.failed":
            self.orders[order] = "failed"
        self._handled.add(event["id"])
        return 200

    def server(self, port=0):
        shop = self

        class Deliveries(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                self.send_response(shop.take(self.headers, body))
                self.end_headers()

            def log_message(self, *_):
                pass

        return ThreadingHTTPServer(("127.0.0.1", port), Deliveries)

    def _collect(self, order, body):
        self.orders[order] = "waiting"
        whole = {**body, "country": "VE", "currency": "VES", "reference": order}
        # The key is the order, so the order is paid once even if an answer is lost.
        headers = {"Idempotency-Key": f"shop-order-{order}"}
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._ask("/v2/payins", whole, headers)
            except Open as error:
                if attempt == ATTEMPTS:
                    raise
                time.sleep(max(0.05 * attempt, error.retry_after))

    def _ask(self, path, body, headers=None):
        request = urllib.request.Request(
            self.service_url + path,
            data=json.dumps(body).encode(),
            headers={
                "Authorization": f"Bearer {self.api_key}",
                "Content-Type": "application/json",
                **(headers or {}),
            },
        )
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code == 429 or error.code >= 500:
                raise Open(str(error.code), int(error.headers.get("Retry-After") or 0)) from error
            raise Refused(error.code, json.load(error)["error"]["code"]) from error
        # An answer that is cut off, or that is not JSON, says nothing.
        except (OSError, http.client.HTTPException, ValueError) as error:
            raise Open(str(error)) from error
