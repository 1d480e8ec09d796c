import { useState } from 'preact/hooks';
import { ENDPOINT_IDS } from '../../contract/endpoints.js';
import { ALL_FAILURES, faultCommand, DISARM_COMMAND, PRESETS } from './actions.js';
import { Card, Select, EmptyText, TextInput, Terminal, StateMark, Time } from './parts.js';
import { Actions, Button, ButtonWithCommand, EnterForm } from './doing.js';
import type { ListedFault } from './answers.js';
import { armedFaults } from './server.js';

const KIND_MEANINGS: Readonly<Record<string, string>> = {
  status: 'Answers with that status, instead of doing the request or after it.',
  'drop-before': 'Cuts the connection before anything is done.',
  'drop-after': 'Does the request, then cuts the connection: the caller cannot know.',
  delay: 'Does the request, then delays the answer.',
  garbage: 'Does the request, but answers with garbage.',
  truncated: 'Does the request, then cuts the answer in the middle.',
  silent: 'Does the request, and never answers.',
  outcome: 'The bank rejects the next operation for this reason, or gives no answer until you settle it.',
};

export function FaultsView() {
  const faults = armedFaults.value;
  return (
    <div class="page">
      <Card id="armed" title="Armed">
        {faults.length === 0 ? (
          <EmptyText>Nothing is armed. Every request gets its normal answer.</EmptyText>
        ) : (
          <>
            <ul class="plain">
              {faults.map((fault) => (
                <li key={fault.id}>
                  <span>
                    <span class="main">
                      <StateMark tone="bad">{fault.kind ?? fault.delivery}</StateMark> on{' '}
                      {fault.route === undefined ? 'deliveries' : <code>{fault.route}</code>}
                    </span>
                    <span class="sub">
                      {otherMembers(fault)}
                      {typeof fault.until === 'string' && (
                        <>
                          until <Time iso={fault.until} showsZone />
                        </>
                      )}
                    </span>
                  </span>
                  <span class="sub">{countText(fault)}</span>
                </li>
              ))}
            </ul>
            <ButtonWithCommand label="Disarm all" command={DISARM_COMMAND} />
          </>
        )}
      </Card>
      <Card id="presets" title="Common faults">
        <Actions actions={PRESETS} />
      </Card>
      <ArmForm />
    </div>
  );
}

function countText({ remaining, delivery }: ListedFault): string {
  const texts = delivery === undefined ? ['one request', 'requests'] : ['one delivery', 'deliveries'];
  return remaining === 1 ? (texts[0] ?? '') : `${String(remaining)} ${texts[1] ?? ''}`;
}

const PLACED_MEMBERS = ['id', 'route', 'kind', 'delivery', 'remaining', 'until'];

const otherMembers = (fault: ListedFault): string =>
  Object.entries({ ...fault } as Readonly<Record<string, unknown>>)
    .filter(([name, value]) => !PLACED_MEMBERS.includes(name) && value !== null)
    .map(([name, value]) => `${name.replaceAll('_', ' ')} ${textOf(value)}`.trim())
    .join(', ');

function textOf(value: unknown): string {
  if (typeof value === 'object' && value !== null) return Object.values(value).map(textOf).join(' / ');
  return typeof value === 'string' || typeof value === 'number' ? String(value) : '';
}

const INSTEAD_CHOICE = 'instead of the request';
const AFTER_CHOICE = 'after the request';
const PENDING_CHOICE = 'pending';

function ArmForm() {
  const [form, setForm] = useState({
    ...{ route: 'payouts.create', kind: 'status', count: '1', status: '503', wait: '', delaySeconds: '3' },
    when: INSTEAD_CHOICE,
    failure: ALL_FAILURES[0] ?? '',
  });
  const { route, kind, count, status, wait, delaySeconds, failure, when } = form;
  const [code = '', reason = ''] = failure.split('/');
  const command = faultCommand({
    ...{ route, kind, count: Number(count) },
    ...(kind === 'status' && { status: Number(status) }),
    ...(kind === 'status' && wait !== '' && { retry_after: Number(wait) }),
    ...(kind === 'status' && when === AFTER_CHOICE && { after: true as const }),
    ...(kind === 'delay' && { delay_ms: Number(delaySeconds) * 1000 }),
    ...(kind === 'outcome' &&
      (failure === PENDING_CHOICE ? { pending: true as const } : { failure: { code, reason } })),
  });
  const inputOf = (name: keyof typeof form) => ({
    value: form[name],
    set: (value: string) => setForm({ ...form, [name]: value }),
  });
  const text = (name: keyof typeof form, label: string) => (
    <TextInput label={label} inputMode="numeric" {...inputOf(name)} />
  );
  const choice = (name: keyof typeof form, label: string, options: readonly string[]) => (
    <Select label={label} options={options} {...inputOf(name)} />
  );
  return (
    <Card id="arm" title="Arm another">
      <EnterForm className="fields">
        {choice('route', 'Route', ['*', ...ENDPOINT_IDS])}
        {choice('kind', 'Kind', Object.keys(KIND_MEANINGS))}
        {kind === 'status' && text('status', 'Status')}
        {kind === 'status' && choice('when', 'Sent', [INSTEAD_CHOICE, AFTER_CHOICE])}
        {kind === 'status' && text('wait', 'Retry-After, seconds')}
        {kind === 'delay' && text('delaySeconds', 'Seconds')}
        {kind === 'outcome' && choice('failure', 'Outcome', [...ALL_FAILURES, PENDING_CHOICE])}
        {text('count', 'Requests')}
        <Button label="Arm" tone="bad" command={command} />
      </EnterForm>
      <p class="note">{KIND_MEANINGS[kind]}</p>
      <Terminal command={command} />
    </Card>
  );
}
