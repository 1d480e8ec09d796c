"""Webhooks and answers on a bad day: `svc sandbox exec -- pytest test_webhooks.py`."""
import urllib.error

import pytest

from shop_support import DEBIT, PAYOUT, advance, control, service, transfer


def paid(amount="10.00"):
    payin = service("payins", transfer(amount))
    control("payments", {"for": payin["id"]})
    return payin["id"]


def test_a_webhook_that_comes_twice(receiver):
    control("faults", {"delivery": "duplicate"})
    payin = paid()
    assert receiver.wait_for(2) == [payin, payin]


def test_two_webhooks_out_of_order(receiver):
    control("faults", {"delivery": "reorder"})
    first, second = paid("10.00"), paid("11.00")
    assert receiver.wait_for(2) == [second, first]


def test_a_webhook_that_is_late_by_a_day(receiver):
    control("faults", {"delivery": "hold", "for": "1d"})
    payin = paid()
    advance("23h")
    after = paid("11.00")
    assert receiver.wait_for(1) == [after]
    advance("1h")
    assert receiver.wait_for(2) == [after, payin]


def test_a_webhook_before_the_answer_of_the_create(receiver):
    control("faults", {"delivery": "before-answer"})
    payout = service("payouts", PAYOUT)
    assert receiver.ids() == [payout["id"]]


def test_an_answer_that_is_lost():
    control("faults", {"route": "payins.create", "kind": "drop-after"})
    with pytest.raises(OSError):
        service("payins", transfer("10.00"), key="invoice-2048")
    payin = service("payins", transfer("10.00"), key="invoice-2048")
    assert [one["id"] for one in control("operations")["operations"]] == [payin["id"]]


def test_429_with_retry_after():
    control("faults", {"route": "payins.create", "status": 429, "retry_after": 7})
    with pytest.raises(urllib.error.HTTPError) as refused:
        service("payins", transfer("10.00"), key="invoice-2049")
    assert (refused.value.code, refused.value.headers["Retry-After"]) == (429, "7")
    assert service("payins", transfer("10.00"), key="invoice-2049")["status"] == "pending"


def test_a_code_that_has_expired():
    payin = service("payins", DEBIT)
    advance("6m")
    confirmed = service(f"payins/{payin['id']}/confirm", {"code": "123456"})
    assert confirmed["failure"]["reason"] == "code_expired"
