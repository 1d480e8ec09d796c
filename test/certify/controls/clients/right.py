"""Right: a payout with only the standard library, and a pay-in with a code."""
import json, os, sys, time, urllib.error, urllib.request

SERVICE, KEY = os.environ['SVC_SANDBOX_URL'], os.environ['SVC_API_KEY']


class Unknown(Exception):
    wait = 0.0


def call(method, path, data=None, key=None):
    headers = {'Authorization': 'Bearer ' + KEY}
    if data is not None:
        headers['Content-Type'] = 'application/json'
    if key is not None:
        headers['Idempotency-Key'] = key
    request = urllib.request.Request(SERVICE + path, data, headers, method=method)
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as error:
        if error.code < 500 and error.code != 429:
            sys.exit('refused: %s' % error.code)
        unknown = Unknown(error.code)
        unknown.wait = float(error.headers.get('Retry-After', 0))
        raise unknown
    except Exception as error:
        raise Unknown(str(error))


def persist(*request):
    for attempt in range(5):
        try:
            return call(*request)
        except Unknown as error:
            time.sleep(max(error.wait, 0.03 * (attempt + 1)))
    sys.exit('no answer')


def settled(path):
    for _ in range(80):
        operation = persist('GET', path)
        if operation['status'] != 'pending':
            return operation
        time.sleep(0.1)
    sys.exit('still pending')


def confirm(path):
    for _ in range(3):
        try:
            call('POST', path + '/confirm', json.dumps({'code': '123456'}).encode())
            break
        except Unknown as error:
            time.sleep(error.wait)
            if persist('GET', path)['pending_reason'] != 'awaiting_code':
                break


def person(bank, **more):
    return dict(document=dict(type='V', number='12345678'), bank_code=bank, **more)


place = dict(country='VE', currency='VES')
payout = dict(place, method='mobile_payment', amount='20.00', reference='py-1', beneficiary=person('0105', account_number='04149876543'))
payin = dict(place, method='debit_otp', amount='150.00', reference='py-2', payer=person('0102', phone='04121234567'))
made = persist('POST', '/v2/payouts', json.dumps(payout).encode(), 'py-payout-1')
if settled('/v2/payouts/' + made['id'])['status'] != 'confirmed':
    sys.exit('not paid')
made = persist('POST', '/v2/payins', json.dumps(payin).encode(), 'py-payin-1')
confirm('/v2/payins/' + made['id'])
if settled('/v2/payins/' + made['id'])['status'] != 'confirmed':
    sys.exit('not collected')
