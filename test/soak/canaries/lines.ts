import { REGISTRY, type CommandId } from '../../../src/registry.js';
import { ACCOUNT, CODE, DOCUMENT, PHONE } from './canaries.js';

export interface Ready {
  readonly id: string;
  readonly key: string;
  readonly files: string;
}

export interface Line {
  readonly words: readonly string[];
  readonly stdin?: string;
}

const PARTY = [`document.type=V`, `document.number=${DOCUMENT}`, 'bank_code=0102'];
const party = (flag: string, ...more: readonly string[]): string[] =>
  [...PARTY, ...more].flatMap((field) => [flag, field]);
const HOOKS = 'http://127.0.0.1:9/hooks';
const VERIFY = `webhooks verify --signature v1=${'0'.repeat(64)} --timestamp 1790000000`;
const place = ['--country', 'VE', '--currency', 'VES', '--amount', '10.00'];
const PAYOUT = ['--method', 'mobile_payment', ...place, ...party('--beneficiary', `account_number=${PHONE}`)];
const PAYIN = ['--method', 'debit_otp', ...place, ...party('--payer', `phone=${PHONE}`)];
const DEBIT = ['--method', 'direct_debit', ...place, ...party('--payer', `account_number=${ACCOUNT}`)];

export const PAYOUT_BODY = JSON.stringify({
  ...{ amount: '10.00', country: 'VE', currency: 'VES', method: 'mobile_payment' },
  beneficiary: { document: { type: 'V', number: DOCUMENT }, bank_code: '0102', account_number: PHONE },
});

const words = (text: string): string[] => text.split(' ').filter((word) => word !== '');
const line = (text: string, stdin?: string): Line =>
  stdin === undefined ? { words: words(text) } : { words: words(text), stdin };

const seenBy = (file: string): string =>
  `env >> ${file}; tr '\\0' ' ' < /proc/$$/cmdline >> ${file}; cat > /dev/null`;

const OWN: Partial<Record<CommandId, (ready: Ready) => readonly Line[]>> = {
  api: ({ id }) => [
    { words: ['api', 'POST', '/v2/payouts', '--data', PAYOUT_BODY] },
    { words: ['api', 'POST', `/v2/payins/${id}/confirm`, '-f', `code=${CODE}`] },
    { words: ['api', 'POST', `/v2/payins/${id}/confirm`, '--data', '-'], stdin: `{"code":"${CODE}"}` },
  ],
  'payins confirm': ({ id }) => [
    line(`payins confirm ${id} --code -`, `${CODE}\n`),
    line(`payins confirm ${id} --code ${CODE}`),
    line(`payins confirm ${id} --code=${CODE} --wait`),
    line(`payins confirm ${id} ${CODE}`),
    line(`payins confirm --code ${CODE}`),
  ],
  'payins create': ({ files }) => [
    { words: ['payins', 'create', ...PAYIN] },
    { words: ['payins', 'create', ...DEBIT, '--wait'] },
    { words: ['payins', 'create', ...PAYIN, '--dry-run'] },
    line(`payins create --data @${files}/body.json`),
  ],
  'payouts create': ({ files }) => [
    { words: ['payouts', 'create', ...PAYOUT] },
    { words: ['payouts', 'create', ...PAYOUT, '--dry-run'] },
    line(`payouts create --data @${files}/body.json --wait`),
    { words: ['payouts', 'create', '--data', PAYOUT_BODY] },
    { words: ['payouts', 'create', ...PAYOUT, '--beneficiary', `phone=${PHONE}`] },
  ],
  'payins batch': ({ files }) => [line(`payins batch ${files}/payins.csv --yes`)],
  'payouts batch': ({ files }) => [
    line(`payouts batch ${files}/payouts.csv --yes --batch canaries`),
    line(`payouts batch ${files}/payouts.csv --dry-run`),
  ],
  'batches resolve': () => [line('batches resolve canaries --reference canary --not-paid --yes')],
  reconcile: ({ files }) => [
    line(`reconcile ${files}/payouts.csv --map reference=method,amount=amount,currency=currency`),
    line(`reconcile ${files}/payouts.csv --report ${files}/report.html --map reference=method,amount=amount`),
  ],
  // The examples would run the tests of this repository.
  'sandbox exec': ({ files }) => [
    { words: ['sandbox', 'exec', '--', 'sh', '-c', `env >> ${files}/seen-by-child`] },
  ],
  lock: () => [{ words: ['lock', 'sandbox', '--', 'true'] }],
  'events tail': ({ files }) => [
    line('events tail --no-follow'),
    { words: ['events', 'tail', '--no-follow', '--exec', seenBy(`${files}/seen-by-child`)] },
  ],
  'events forward': () => [
    line('events forward --print-secret'),
    line(`events forward --to ${HOOKS} --no-follow`),
  ],
  'profiles add': ({ files }) => [
    line('profiles add spare --base-url https://api.example.com --key-stdin', KEY_STDIN),
    line(`profiles add ${files}/no-name --base-url https://api.example.com --key-stdin`, KEY_STDIN),
  ],
  'profiles set-key': () => [
    line('profiles set-key canary --key-stdin', KEY_STDIN),
    line('profiles set-key nobody --key-stdin', KEY_STDIN),
    line('profiles set-key canary --key-stdin', `no key at all: ${KEY_STDIN}`),
  ],
  'sandbox payment': ({ id }) => [
    line(`sandbox payment --for ${id}`),
    line(
      `sandbox payment --method incoming_transfer --currency VES --amount 10.00 --bank-code 0102 --document-type V --document-number ${DOCUMENT}`,
    ),
  ],
  'webhooks register': () => [
    line('webhooks register --url https://shop.example/hooks'),
    line('webhooks register --url https://shop.example/other --jq .secret'),
    line('webhooks register --url no-url'),
  ],
  'webhooks sign': ({ files }) => [
    line('webhooks sign', EVENT),
    line(`webhooks sign --secret-file ${files}/secret.txt`, EVENT),
    line('webhooks sign', 'no event'),
  ],
  'webhooks trigger': ({ files }) => [
    line(`webhooks trigger payout.confirmed --to ${HOOKS}`),
    line(`webhooks trigger payin.failed --to ${HOOKS} --secret-file ${files}/secret.txt --bad-signature`),
  ],
  'webhooks verify': ({ files }) => [
    line('webhooks verify --signature v1=00 --timestamp 1790000000 --explain', EVENT),
    line(`${VERIFY} --at 1790000000 --explain --secret-file ${files}/secret.txt`, EVENT),
    line(`webhooks verify --secret-file ${files}/nothing-there`, EVENT),
  ],
};

export const KEY_STDIN = 'svc_test_PipedCanary0a1b2c3d4e5f6071829';

const EVENT = JSON.stringify({
  id: '0c9d1b2e-7f3a-4b8c-9d0e-1f2a3b4c5d6e',
  type: 'payout.confirmed',
  occurred_at: '2026-09-23T15:04:05Z',
  data: { id: '6f1c2a9e-3b4d-4c5e-8f70-1a2b3c4d5e6f', type: 'payout', status: 'confirmed' },
});

export const SERVERS: readonly CommandId[] = ['sandbox start', 'webhooks listen'];

export async function linesOf(id: CommandId, ready: Ready): Promise<readonly Line[]> {
  const own = OWN[id]?.(ready);
  if (own !== undefined) return own;
  const command = await REGISTRY[id]();
  return command.examples.map((example) => fromExample(example, ready));
}

function fromExample(example: string, { id, key }: Ready): Line {
  const filled = example.replace('$ID', id).replace('$KEY', key).replace('$BATCH', 'canaries');
  const [, rest = ''] = /(?:^|\| )svc ([^<>|]*)/.exec(filled) ?? [];
  const quoted = rest.match(/'[^']*'|"[^"]*"|\S+/g) ?? [];
  return { words: quoted.map((word) => word.replace(/^(['"])(.*)\1$/, '$2')) };
}
