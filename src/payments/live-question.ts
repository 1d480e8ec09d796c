import { maskPersonal } from '../contract/on-screen.js';
import { isObject } from '../contract/shape.js';
import { renderSections, type DetailPair, type Section } from '../output/detail.js';
import { escapeText } from '../output/escape.js';
import { labelFor } from '../output/views/blocks.js';
import { liveTitle } from '../output/style.js';
import { JsonValue, leavesOf } from '../output/value.js';
import { Failure } from '../runtime/failure.js';
import { styleForErrors, typesYes } from '../command/line/terminal.js';
import { type ServiceAddress, serviceAddressOf } from '../session/address.js';
import type { SessionRun } from '../command/command.js';

export async function askLive(
  { ports, flags, session }: SessionRun,
  members: Readonly<Record<string, unknown>>,
  requestName: string,
  isRepeated = false,
): Promise<void> {
  const style = await styleForErrors(ports, flags);
  const text = isRepeated
    ? 'Repeat this request with the same key? It is carried out at most once.'
    : (QUESTIONS.get(requestName) ?? `Send ${requestName}?`);
  const question = style.strong(`${escapeText(text)} Type yes:`);
  const valueOf = (name: string): string => {
    const value = members[name];
    if (value === undefined || value === null) return '';
    return typeof value === 'string' ? value : JSON.stringify(value);
  };
  const { target } = session;
  const profile = target.kind === 'service' ? target.profile : null;
  const total = `${valueOf('currency')} ${valueOf('amount')}`.trim();
  const pairs: DetailPair[] = [
    { label: 'Reference', value: valueOf('reference') },
    { label: 'Id', value: valueOf('id'), whole: true },
    { label: 'Status', value: valueOf('status') },
    { label: 'Method', value: valueOf('method') },
    { label: 'Total', value: total, whole: true, tone: 'strong' },
  ];
  const sections = [
    placeSection({ ...serviceAddressOf(session), company: null, profile }),
    { title: 'What is sent', pairs },
    { title: 'Payer', pairs: partyPairs(members['payer'], 'payer') },
    { title: 'Beneficiary', pairs: partyPairs(members['beneficiary'], 'beneficiary') },
  ];
  const sectionsText = renderSections(sections, ports.errors.columns, style);
  await ports.errors.write(`${liveTitle(style)}\n\n${sectionsText}\n${question} `);
  if (await typesYes(ports, 'Nothing was sent.')) return;
  throw new Failure('unsafe', 'Not confirmed. Nothing was sent.', { code: 'not_confirmed' });
}

const QUESTIONS = new Map([
  ['payouts.create', 'Send this payout?'],
  ['payouts.cancel', 'Cancel this payout?'],
  ['payins.create', 'Create this pay-in?'],
  ['payins.confirm', 'Confirm this pay-in?'],
  ['payins.resend', 'Send a new code for this pay-in?'],
  ['payins.cancel', 'Cancel this pay-in?'],
  ['webhooks.register', 'Register this address?'],
]);

function partyPairs(party: unknown, path: string): DetailPair[] {
  if (party === undefined || party === null) return [];
  const leaves = leavesOf(JsonValue.of(Buffer.from(JSON.stringify(maskMember(path, party)))));
  return leaves.map(({ path: name, value }) => ({ label: labelFor(name), value: value.text, whole: true }));
}

function maskMember(path: string, value: unknown): unknown {
  if (typeof value === 'string') return maskPersonal(path, value);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskMember(`${path}.${name}`, member)]),
  );
}

export function placeSection({
  environment,
  address,
  company,
  profile,
}: ServiceAddress & Readonly<Record<'company' | 'profile', string | null>>): Section {
  return {
    title: 'Where it goes',
    pairs: [
      { label: 'Environment', value: environment, tone: 'strong' },
      { label: 'Address', value: address, whole: true, tone: 'strong' },
      { label: 'Company', value: company ?? '', tone: 'strong' },
      { label: 'Profile', value: profile ?? 'none' },
    ],
  };
}
