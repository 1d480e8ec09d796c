"""Tests the shop against a sandbox of the whole service. Run them by `svc sandbox exec -- python3 -m unittest`."""

import json
import os
import threading
import time
import unittest
import urllib.request
from unittest import mock

from shop import Refused, Shop

PAYER = {"document": {"type": "V", "number": "12345678"}, "bank_code": "0102"}


def control(path, body=None):
    """Controls the sandbox: payments, time and faults."""
    data = None if body is None else json.dumps(body).encode()
    headers = {"Content-Type": "application/json"}
    request = urllib.request.Request(os.environ["SVC_CONTROL_URL"] + path, data=data, headers=headers)
    with urllib.request.urlopen(request, timeout=30) as answer:
        return json.load(answer)


class ShopTest(unittest.TestCase):
    def setUp(self):
        control("/reset", {})
        self.shop = Shop(os.environ["SVC_SANDBOX_URL"], os.environ["SVC_API_KEY"])
        self.server = self.shop.server()
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()
        self.addCleanup(self.server.server_close)
        self.addCleanup(self.server.shutdown)
        self.shop.register_webhook(f"http://127.0.0.1:{self.server.server_port}/webhooks")

    def wait(self, order, status):
        until = time.monotonic() + 10
        while self.shop.orders.get(order) != status and time.monotonic() < until:
            time.sleep(0.01)
        self.assertEqual(self.shop.orders.get(order), status)

    def test_a_code_that_is_right_pays_the_order(self):
        payin = self.shop.pay_by_code("1001", "150.00", {**PAYER, "phone": "04121234567"})
        self.assertEqual(self.shop.orders["1001"], "waiting")
        self.shop.enter_code(payin["id"], "123456")
        self.wait("1001", "paid")
        self.assertEqual(self.shop.shipped, ["1001"])

    def test_a_code_that_is_wrong_ends_it(self):
        payin = self.shop.pay_by_code("1001", "150.00", {**PAYER, "phone": "04121234567"})
        self.assertEqual(self.shop.enter_code(payin["id"], "000000")["status"], "failed")
        self.wait("1001", "failed")

    def test_a_transfer_pays_the_order(self):
        payin = self.shop.pay_by_transfer("1002", "30.00", PAYER)
        control("/payments", {"for": payin["id"]})
        self.wait("1002", "paid")

    def test_a_transfer_that_never_comes_fails_the_order(self):
        self.shop.pay_by_transfer("1002", "30.00", PAYER)
        control("/clock", {"advance_seconds": 73 * 3600})
        self.wait("1002", "failed")

    def test_an_answer_that_is_lost_makes_no_second_payin(self):
        control("/faults", {"route": "payins.create", "kind": "drop-after"})
        control("/faults", {"route": "payins.create", "status": 503})
        self.shop.pay_by_transfer("1003", "30.00", PAYER)
        self.assertEqual(len(control("/operations")["operations"]), 1)
        sent = [one for one in control("/requests")["requests"] if one["endpoint"] == "payins.create"]
        self.assertEqual([one["status"] for one in sent], [None, 503, 201])

    def test_a_service_that_wants_to_be_left_alone_for_a_while_is_left_alone(self):
        control("/faults", {"route": "payins.create", "status": 503, "retry_after": 7})
        with mock.patch("shop.time.sleep") as sleep:
            self.shop.pay_by_transfer("1003", "30.00", PAYER)
        sleep.assert_called_once_with(7)

    def test_what_the_service_refuses_is_not_sent_again(self):
        with self.assertRaises(Refused) as refused:
            self.shop.pay_by_transfer("1004", "-1", PAYER)
        self.assertEqual(refused.exception.code, "field_invalid")

    def test_a_delivery_that_is_not_signed_ships_nothing(self):
        body = json.dumps({"id": "x", "type": "payin.confirmed", "data": {"reference": "1005"}}).encode()
        forged = {"X-Timestamp": str(int(time.time())), "X-Firma": "v1=" + "0" * 64}
        self.assertEqual([self.shop.take({}, body), self.shop.take(forged, body)], [401, 401])
        self.assertEqual(self.shop.shipped, [])


if __name__ == "__main__":
    unittest.main()
