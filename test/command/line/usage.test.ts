/** What a slip of the hand is answered with: what to type instead, in one line, and nothing sent. */
import { afterAll, expect, it } from 'vitest';
import { world } from '../../support/svc.js';

const here = world();
afterAll(() => here.remove());

it.each([
  ['balances --jso', '"svc balances" has no flag --jso. Did you mean --json?'],
  ['payin create --amout 1', '"svc payins create" has no flag --amout. Did you mean --amount?'],
  ['payins get x --nonsense', '"svc payins get" has no flag --nonsense. See "svc payins get --help".'],
  ['payins get', 'ID is missing: the operation\'s id (a uuid). See "svc payins get --help".'],
  ['completion', 'SHELL is missing: bash, zsh or fish. See "svc completion --help".'],
  ['payins get a b', 'Unexpected argument: b.'],
  ['balances -o xml', 'Expected --output=xml to be one of: table, json, ndjson, csv.'],
])('svc %s: %s', async (line, message) => {
  const result = await here.svc(line);
  expect(result).toMatchObject({ exitCode: 2, stdout: '' });
  expect(result.error()).toMatchObject({ message: `${message} Nothing was sent.`, outcome: 'not_sent' });
});
