"""Wrong: the library repeats a create, which is right because of its key, and a confirm, which is wrong."""
import os, sys
import requests
from requests.adapters import HTTPAdapter
from urllib3.util.retry import Retry

SERVICE = os.environ['SVC_SANDBOX_URL']
http = requests.Session()
http.headers['Authorization'] = 'Bearer ' + os.environ['SVC_API_KEY']
again = Retry(total=3, backoff_factor=0.05, status_forcelist=[429, 500, 502, 503], allowed_methods=None)
http.mount('http://', HTTPAdapter(max_retries=again))


def post(path, body, key=None):
    headers = {} if key is None else {'Idempotency-Key': key}
    answer = http.post(SERVICE + path, json=body, headers=headers, timeout=10)
    answer.raise_for_status()
    return answer.json()


payer = dict(document=dict(type='V', number='12345678'), bank_code='0102', phone='04121234567')
body = dict(method='debit_otp', country='VE', currency='VES', amount='150.00', reference='o-1', payer=payer)
made = post('/v2/payins', body, 'order-1-key')
sys.exit(0 if post('/v2/payins/%s/confirm' % made['id'], {'code': '123456'})['status'] == 'confirmed' else 1)
