"""A bank that takes two days: `svc sandbox exec --settle-after 172800 -- pytest test_bank.py`."""
from shop_support import PAYOUT, advance, control, service


def test_a_payout_that_is_settled_after_days(receiver):
    payout = service("payouts", PAYOUT)
    assert payout["status"] == "pending"
    advance("47h")
    assert receiver.ids() == []
    advance("1h")
    assert receiver.wait_for(1) == [payout["id"]]
    assert receiver.events[0]["type"] == "payout.confirmed"


def test_a_payout_that_the_bank_refuses(receiver):
    payout = service("payouts", PAYOUT)
    failure = {"code": "counterparty_rejected", "reason": "account_closed"}
    control(f"operations/{payout['id']}/settle", {"status": "failed", "failure": failure})
    assert receiver.wait_for(1) == [payout["id"]]
    assert receiver.events[0]["data"]["failure"]["reason"] == "account_closed"
