import { afterAll, expect, it } from 'vitest';
import { ENDPOINT_IDS } from '../../../src/contract/endpoints.js';
import { world } from '../../support/svc.js';

const here = world();
afterAll(() => here.remove());

const NO_URL = '--to must be a URL, it needs http:// in front.';
const ID = '12345678-1234-4c5e-8f70-123456789012';

it.each([
  ['balances --jso', '"svc balances" has no flag --jso. Did you mean --json?'],
  ['payin create --amout 1', '"svc payins create" has no flag --amout. Did you mean --amount?'],
  ['operations list --state failed', '"svc operations list" has no flag --state. Did you mean --status?'],
  ['operations list -n 2', '"svc operations list" has no flag -n. See "svc operations list --help".'],
  ['balances --format csv', '"svc balances" has no flag --format. Did you mean --output?'],
  ['payins get x --watch', '"svc payins get" has no flag --watch. See "svc payins get --help".'],
  ['balances --list', '"svc balances" has no flag --list. See "svc balances --help".'],
  ['payins get x --nonsense', '"svc payins get" has no flag --nonsense. See "svc payins get --help".'],
  ['payins get', 'ID is missing: id of the operation, or the start of one that svc knows. See "svc '],
  ['operations find', 'TEXT is missing: a reference, a bank reference, or 6 or more characters of an id.'],
  ['events forward --to localhost:3000', `${NO_URL} Did you mean http://localhost:3000?`],
  ['events forward --to 3000/hooks', `${NO_URL} Did you mean http://localhost:3000/hooks?`],
  ['events forward --to shop', '--to must be a URL, for example http://localhost:3000/hooks.'],
  ['events tail --into x.db', '--into must be postgres://USER@HOST/DATABASE or sqlite:FILE: sqlite:x.db'],
  ['events tail --into sqlite:///x', '--into sqlite:FILE needs the path of a file, for example sqlite:/x.'],
  ['completion', 'SHELL is missing: bash, zsh or fish. See "svc completion --help".'],
  ['payins get a b', '"svc payins get" has no argument for "b". See "svc payins get --help".'],
  ['webhooks register https://x', '"svc webhooks register" has no argument for "https://x". Put --url'],
  ['balances -o xml', '--output cannot be "xml": use table, json, ndjson or csv.'],
  ['balances -o jsn', '--output cannot be "jsn": use table, json, ndjson or csv. Did you mean json?'],
  ['completion bahs', '"bahs" is not valid: use bash, zsh or fish. Did you mean bash?'],
  [
    'sandbox fault --route x --status 503',
    `--route cannot be "x": use *, ${ENDPOINT_IDS.slice(0, -1).join(', ')} or ${String(ENDPOINT_IDS.at(-1))}. Nothing was sent.`,
  ],
  ['balances -o json -o json', 'Give --output only once.'],
  ['payins create --amount', '--amount needs a value: --amount AMOUNT (amount, such as 1500.50).'],
  ['balances -o', '--output needs a value: table, json, ndjson or csv.'],
  ['balances --jq', '--jq needs a value: --jq EXPR (filter the JSON; strings are printed raw).'],
  ['balances --json=true', '--json takes no value: use --json alone.'],
  ['--json=true balances', '--json takes no value: use --json alone.'],
  ['balances --live=false', '--live takes no value: leave it out.'],
  ['--live=false balances', '--live takes no value: leave it out.'],
  ['balances --live false', '--live takes no value: leave it out.'],
  ['balances --live=NO', '--live takes no value: leave it out.'],
  ['payouts create --live=0', '--live takes no value: leave it out.'],
  ['batches list --sandbox=off', '--sandbox takes no value: leave it out.'],
  ['balances --live=', '--live takes no value: leave it out, or use --live alone.'],
  ['balances --live=perhaps', '--live takes no value: leave it out, or use --live alone.'],
  [`payins get x ${ID}`, `"svc payins get" has no argument for "${ID}".`],
  ['payins confirm x 123456', '"svc payins confirm" has no argument for "***".'],
  ['batches gat x', 'There is no command "svc batches gat x". See "svc batches --help".'],
  ['sandbox bogus', 'There is no command "svc sandbox bogus". See "svc sandbox --help".'],
  ['reconsile bank.csv', 'There is no command "svc reconsile bank.csv". Did you mean "svc reconcile"?'],
])('svc %s: %s', async (line, message) => {
  const result = await here.svc(line);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.error()).toMatchObject({ outcome: 'not_sent' });
  const said = String(result.error()['message']);
  expect(said.startsWith(message) && said.endsWith(' Nothing was sent.'), said).toBe(true);
  expect(said).not.toContain('\u001b');
});

it('shows a line that works where a flag is missing, in a line of its own', async () => {
  expect((await here.svc('webhooks register')).error()['message']).toBe(
    '--url (https URL of the receiver) is missing. Nothing was sent.\n' +
      'For example: svc webhooks register --url https://shop.example/hooks',
  );
});
