import { styleForErrors } from './line/terminal.js';
import { ENVIRONMENT_PATH } from '../contract/access.js';
import { parseJson } from '../contract/json.js';
import { isUuid } from '../contract/notation.js';
import { textIn } from '../contract/shape.js';
import { renderDetail } from '../output/detail.js';
import { escapeText } from '../output/escape.js';
import type { Style } from '../output/style.js';
import { readAddress } from '../session/target.js';
import { DEFAULT_CODE } from '../contract/sandbox-code.js';
import { flagWords, svcLine } from '../runtime/shell.js';
import { catalogSource } from '../session/catalog.js';
import type { Session } from '../session/session.js';
import { whereFlags } from '../session/place-flags.js';
import type { SessionRun } from './command.js';

/** Writes nothing if the id is no UUID, because the service's text could control the terminal. */
export async function tellNextSteps(body: Uint8Array, run: SessionRun): Promise<void> {
  const { session, ports, flags } = run;
  const { errors, output } = ports;
  if (!errors.isTTY || !output.isTTY || flags.quiet) return;
  const operation = parseJson(body);
  const [id, reason] = [textIn(operation, 'id'), textIn(operation, 'pending_reason')];
  if (textIn(operation, 'status') !== 'pending' || !isUuid(id)) return;
  const style = await styleForErrors(ports, flags);
  const nextLine = (command: string): string => `Next: ${style.accent(command)}\n`;
  const topic = textIn(operation, 'type') === 'payout' ? 'payouts' : 'payins';
  let text = nextLine(svcLine(`${topic} get`, ['--wait', ...whereFlags(flags)], [id]));
  if (reason === 'awaiting_code') {
    text = nextLine(svcLine('payins confirm', whereFlags(flags), [id]));
    if (session.target.kind === 'embedded')
      text += style.faint(`In this sandbox the code is ${DEFAULT_CODE}.\n`);
  } else if (reason === 'awaiting_payment') {
    const placeFlags = sandboxFlags(session);
    if (placeFlags !== null)
      text = `In the sandbox, pay it yourself:\n${nextLine(svcLine('sandbox payment', [...flagWords('--for', id), ...placeFlags]))}`;
    text = (await paymentText(operation, { ...run, style })) + text;
  }
  await errors.write(`\n${text}`);
}

async function paymentText(
  operation: unknown,
  { session, ports, style }: SessionRun & { readonly style: Style },
): Promise<string> {
  const catalog = await catalogSource(session, ports).get();
  const [country, method, currency] = ['country', 'method', 'currency'].map((name) =>
    textIn(operation, name),
  );
  const methods = catalog?.countries.find(({ code }) => code === country)?.payin_methods ?? [];
  const methodEntry = methods.find((entry) => entry.code === method && entry.currency === currency);
  const account = methodEntry?.receiving_account ?? null;
  if (account === null) return '';
  const pairs = [
    { label: 'Bank', value: account.bank_code },
    { label: 'Account', value: account.account_number ?? '' },
    { label: 'Phone', value: account.phone ?? '' },
    { label: 'Document', value: account.document },
    { label: 'Holder', value: account.holder },
  ].map((pair) => ({ ...pair, whole: true }));
  const amount = escapeText(`${textIn(operation, 'amount')} ${textIn(operation, 'currency')}`);
  const lines = renderDetail(pairs, ports.errors.columns - 2, style)
    .trimEnd()
    .split('\n');
  return `The payer sends ${style.strong(amount)} to this account:\n${lines.map((line) => `  ${line}\n`).join('')}`;
}

function sandboxFlags({ target, environment, serviceUrl }: Session): string[] | null {
  if (environment !== 'sandbox') return null;
  if (target.kind === 'embedded') return [];
  const address = serviceUrl.slice(0, -ENVIRONMENT_PATH.sandbox.length);
  return readAddress(address, 'The address').isLoopback ? ['--base-url', address] : null;
}
