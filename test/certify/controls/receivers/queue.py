"""A right receiver with a queue: it answers 202 once the event is stored, and a worker does the work later."""
import hashlib, hmac, json, os, re, sqlite3, sys, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SECRETS = os.environ["WEBHOOK_SECRETS"].split()
EFFECTS = sys.argv[1]
lock = threading.Lock()
store = sqlite3.connect(":memory:", check_same_thread=False)
store.execute("CREATE TABLE events (id TEXT PRIMARY KEY, operation TEXT, done INTEGER DEFAULT 0)")


def is_authentic(headers, body):
    timestamp = headers.get("X-Timestamp", "")
    claimed = re.findall(r"\bv1=([0-9a-f]{64})(?= |$)", headers.get("X-Firma", ""))[:8]
    if not re.fullmatch(r"[0-9]{1,12}", timestamp, re.ASCII) or abs(time.time() - int(timestamp)) > 301:
        return False
    digests = [hmac.new(key.encode(), timestamp.encode() + b"." + body, hashlib.sha256).hexdigest() for key in SECRETS]
    return any(hmac.compare_digest(one, other) for one in claimed for other in digests)


def take(headers, body):
    if not is_authentic(headers, body):
        return 401
    event = json.loads(body)
    if event["type"] != "test.ping":
        with lock:
            store.execute("INSERT OR IGNORE INTO events (id, operation) VALUES (?, ?)", (event["id"], event["data"]["id"]))
    return 202


def work():
    while True:
        time.sleep(0.1)
        with lock:
            rows = store.execute("SELECT id, operation FROM events WHERE done = 0").fetchall()
            with open(EFFECTS, "a") as effects:
                for event, operation in rows:
                    effects.write(operation + "\n")
                    store.execute("UPDATE events SET done = 1 WHERE id = ?", (event,))


class Receiver(BaseHTTPRequestHandler):
    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", "0")))
        try:
            status = take(self.headers, body)
        except (ValueError, KeyError, TypeError):
            status = 400
        self.send_response(status)
        self.end_headers()

    def log_message(self, *args):
        pass


threading.Thread(target=work, daemon=True).start()
server = ThreadingHTTPServer(("127.0.0.1", 0), Receiver)
print(server.server_address[1], flush=True)
server.serve_forever()
