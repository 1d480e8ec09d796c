import type { GlobalFlags, Run } from '../command/command.js';
import { durationMs } from '../runtime/typed-time.js';
import type { Texts } from '../command/line/flags.js';
import { renderNote } from '../output/error-prose.js';
import { Failure, usageFailure } from '../runtime/failure.js';
import { callControl, namedOrigin, queryOf, withControl } from './call-control.js';
import type { ControlSender, ControlSteps } from './call-control.js';
import { defaultStore, IN_PROCESS_ORIGIN } from './embedded.js';
import { clockMoveText, type ClockMove } from './control/clock-move.js';
import { statusRange } from './log/logged.js';
import type { SandboxOperation } from './testing/types.js';
import { idBeginning, isUuid } from '../contract/notation.js';
import { whereFlags } from '../session/place-flags.js';
import { svcLine } from '../runtime/shell.js';

type RunWith<Text extends string, Switch extends string = never> = Run<
  GlobalFlags & Texts<Text> & Readonly<Record<Switch, boolean>>
>;
type WithArgs<Arg extends string> = Readonly<Record<'args', Texts<Arg>>>;

export async function showOrMoveClock(run: Run & WithArgs<'action' | 'duration'>): Promise<void> {
  const { action, duration } = run.args;
  if (action === undefined) return callControl(run, { method: 'GET', path: '/clock' });
  if (duration === undefined)
    throw new Failure('usage', 'Add how far to advance, for example: svc sandbox clock advance 48h');
  const seconds = durationMs(duration, 'How far') / 1000;
  const request = { method: 'POST', path: '/clock', body: { advance_seconds: seconds } } as const;
  const note: ControlSteps['note'] = (answer, _send, { origin }) => {
    const text = clockMoveText(jsonOf(answer) as ClockMove, origin !== IN_PROCESS_ORIGIN);
    return Promise.resolve(text === null ? null : `${text}.`);
  };
  await callControl(run, request, { note });
}

export async function showOrResendDeliveries(
  run: RunWith<'status' | 'operation' | 'limit' | 'resend'> & WithArgs<'id'>,
): Promise<void> {
  const { status, operation, limit, resend } = run.flags;
  const { id: typedId } = run.args;
  const isFiltered = [status, operation, limit].some((value) => value !== undefined);
  if (resend !== undefined) {
    if (isFiltered || typedId !== undefined) throw usageFailure('Give --resend ID alone.');
    const id = await expandId(run, 'delivery', '--resend', resend);
    return callControl(run, { method: 'POST', path: `/deliveries/${id}/resend`, elementOf: 'deliveries' });
  }
  if (typedId !== undefined) {
    if (isFiltered)
      throw usageFailure('--status, --operation and --limit are for the list: give them without ID.');
    const id = await expandId(run, 'delivery', 'ID', typedId);
    return callControl(run, { method: 'GET', path: `/deliveries/${id}` });
  }
  const operationId =
    operation === undefined ? undefined : await expandId(run, 'operation', '--operation', operation);
  const order = limit === undefined ? undefined : 'newest';
  const query = queryOf({ status, operation: operationId, limit, order });
  const path = query === '' ? '/deliveries' : `/deliveries?${query}`;
  const note: ControlSteps['note'] = async (_, send) =>
    missingUrlNote(await send({ method: 'GET', path: '/companies' }), run.flags);
  await callControl(run, { method: 'GET', path, list: 'deliveries' }, { note });
}

function missingUrlNote(answer: Uint8Array, flags: GlobalFlags): string | null {
  const { companies } = jsonOf(answer) as {
    companies: (Record<'name' | 'environment', string> & {
      balances: unknown[];
      webhooks: { replaced_at: string | null }[];
    })[];
  };
  const companiesWithoutUrl = companies.filter(({ webhooks }) =>
    webhooks.every(({ replaced_at: at }) => at !== null),
  );
  const words = ['--url', 'https://shop.example/hooks', ...whereFlags(flags)];
  const registerLine = svcLine('webhooks register', words);
  if (companiesWithoutUrl.length === companies.length)
    return `No URL is registered, so no event is delivered. Register one: ${registerLine}`;
  const usedCompanies = companiesWithoutUrl.filter(
    ({ name, balances }) => name !== 'default' || balances.length > 0,
  );
  if (usedCompanies.length === 0) return null;
  const namesText = usedCompanies
    .map(({ name, environment }) => `${JSON.stringify(name)} (${environment})`)
    .join(', ');
  return `No URL is registered by ${namesText}, so their events are not delivered. With a key of theirs: ${registerLine}`;
}

const TEXT_FLAGS = ['route', 'kind', 'status', 'failure', 'delay', 'skip', 'match', 'retry-after'] as const;
const SWITCH_FLAGS = ['after', 'truncated', 'silent', 'pending'] as const;
type FaultRun = RunWith<
  (typeof TEXT_FLAGS)[number] | 'count' | 'delivery' | 'for',
  (typeof SWITCH_FLAGS)[number] | 'clear' | 'list'
>;

export function armOrClearFaults(run: FaultRun): Promise<void> {
  const { flags } = run;
  const { route, status, failure, delay, count, skip, match, 'retry-after': retryAfter } = flags;
  const { delivery, for: duration } = flags;
  const flagNames = [
    ...TEXT_FLAGS.filter((name) => flags[name] !== undefined),
    ...SWITCH_FLAGS.filter((name) => flags[name]),
  ];
  if (flags.clear || flags.list) {
    const isAlone =
      flagNames.length === 0 && [delivery, duration, count].every((value) => value === undefined);
    if (!isAlone || (flags.clear && flags.list))
      throw usageFailure(
        flags.clear
          ? 'Give --clear alone: it disarms, and the other flags arm.'
          : 'Give --list alone: it shows what is armed, and the other flags arm.',
      );
    if (flags.list) return callControl(run, { method: 'GET', path: '/faults', list: 'faults' });
    return callControl(run, { method: 'POST', path: '/faults/clear', body: {} });
  }
  if (delivery !== undefined) {
    const [first] = flagNames;
    if (first !== undefined)
      throw usageFailure(`--${first} is for requests and cannot go with --delivery: use --count and --for.`);
    if (duration !== undefined) durationMs(duration, '--for');
    const body = { delivery, count: wholeNumber(count, '--count'), for: duration };
    return callControl(run, { method: 'POST', path: '/faults', body });
  }
  if (duration !== undefined) throw usageFailure('--for needs --delivery.');
  if (route === undefined)
    throw usageFailure(`Add --route ROUTE, --route '*' for all requests, or --delivery KIND.`);
  if (flags.after && status === undefined) throw usageFailure('--after needs --status.');
  const kind = kindOf(flags);
  const flagsText = '--kind, --status, --failure, --pending, --delay, --truncated or --silent';
  if (kind === undefined && status === undefined) throw usageFailure(`Add what goes wrong: ${flagsText}.`);
  const body = {
    route,
    kind,
    status: wholeNumber(status, '--status'),
    after: flags.after || undefined,
    retry_after:
      retryAfter === undefined ? undefined : Math.ceil(durationMs(retryAfter, '--retry-after') / 1000),
    failure: failure === undefined ? undefined : failureOf(failure),
    pending: flags.pending || undefined,
    delay_ms: delay === undefined ? undefined : durationMs(delay, '--delay'),
    count: wholeNumber(count, '--count'),
    skip: wholeNumber(skip, '--skip'),
    match,
  };
  return callControl(run, { method: 'POST', path: '/faults', body });
}

function kindOf({ kind, failure, delay, truncated, silent, pending }: FaultRun['flags']): string | undefined {
  const [first, ...others] = [
    ...(kind === undefined ? [] : [['--kind', kind] as const]),
    ...(truncated ? [['--truncated', 'truncated'] as const] : []),
    ...(silent ? [['--silent', 'silent'] as const] : []),
  ];
  const rival = others.find(([, otherKind]) => otherKind !== first?.[1]);
  if (first !== undefined && rival !== undefined)
    throw usageFailure(`Give ${first[0]} or ${rival[0]}, not both: a fault does one thing.`);
  if (first !== undefined) return first[1];
  if (failure !== undefined || pending) return 'outcome';
  return delay === undefined ? undefined : 'delay';
}

function wholeNumber(text: string | undefined, flag: string): number | undefined {
  if (text === undefined || /^[0-9]{1,9}$/.test(text)) return text === undefined ? undefined : Number(text);
  throw usageFailure(`${flag} must be a whole number.`);
}

function failureOf(typed: string): { code: string; reason: string | undefined } {
  const [, code, reason] = /^([a-z_]+)(?:\/([a-z_]+))?$/.exec(typed) ?? [];
  if (code !== undefined) return { code, reason };
  throw usageFailure('--failure must be CODE or CODE/REASON, for example rejected/other.');
}

export async function makeKey(
  run: RunWith<'company' | 'environment', 'operator'> & {
    readonly flags: { readonly scope?: readonly string[] | undefined };
  },
): Promise<void> {
  const { ports, flags } = run;
  const { company, scope: scopes, environment } = flags;
  const body = { company, scopes, environment, created_by: flags.operator ? 'operator' : undefined };
  const after = async (): Promise<void> => {
    if (flags.quiet || namedOrigin(ports, flags) !== null) return;
    const text =
      `This key belongs to the sandbox in ${defaultStore(ports)}. ` +
      'For a key of another server, add its address: --base-url http://127.0.0.1:PORT';
    await ports.errors.write(renderNote(text, ports.errors));
  };
  await callControl(run, { method: 'POST', path: '/keys', body }, { after });
}

type PageFlag = 'limit' | 'after' | 'before';

function pageQuery({ limit, after, before }: Texts<PageFlag>, others: Texts<string>): string {
  if (after !== undefined && before !== undefined) throw usageFailure('Give --after or --before, not both.');
  const order = after === undefined && before === undefined ? 'newest' : undefined;
  return queryOf({ limit, after, before, order, ...others });
}

export async function showOrDecideOperations(
  run: RunWith<PageFlag | 'status' | 'search' | 'settle' | 'failure', 'waits' | 'expire'> & WithArgs<'id'>,
): Promise<void> {
  const { settle, failure, expire, status, search, waits } = run.flags;
  const { id: typedId } = run.args;
  if (typedId === undefined) {
    if (settle !== undefined || expire)
      throw usageFailure('--settle and --expire need the ID of an operation.');
    const query = pageQuery(run.flags, { status, search, waits: waits ? 'true' : undefined });
    return callControl(run, { method: 'GET', path: `/operations?${query}`, list: 'operations' });
  }
  if (settle !== undefined && expire) throw usageFailure('Give --settle or --expire, not both.');
  if (failure !== undefined && settle !== 'failed') throw usageFailure('--failure needs --settle failed.');
  if (settle === 'failed' && failure === undefined)
    throw usageFailure('Add the reason, for example --failure rejected/other.');
  const body = { status: settle, failure: failure === undefined ? undefined : failureOf(failure) };
  const path = `/operations/${await expandId(run, 'operation', 'ID', typedId)}`;
  if (expire) return callControl(run, { method: 'POST', path: `${path}/expire`, body: {} });
  if (settle === undefined) return callControl(run, { method: 'GET', path });
  await callControl(run, { method: 'POST', path: `${path}/settle`, body });
}

export async function makePayment(
  run: RunWith<
    'for' | 'method' | 'currency' | 'amount' | 'bank-code' | 'phone' | 'document-type' | 'document-number'
  >,
): Promise<void> {
  const { for: typedId, method, currency, amount, phone, 'bank-code': bankCode } = run.flags;
  const [type, number] = [run.flags['document-type'], run.flags['document-number']];
  if (
    [typedId, method, currency, amount, phone, type, number, bankCode].every((value) => value === undefined)
  )
    throw new Failure(
      'usage',
      'Add --for ID, or the flags that describe the payment. See "svc sandbox payment --help".',
    );
  const id = typedId === undefined ? undefined : await expandId(run, 'operation', '--for', typedId);
  const document = type === undefined && number === undefined ? undefined : { type, number };
  const body = { for: id, method, currency, amount, bank_code: bankCode, phone, document };
  const note: ControlSteps['note'] = (answer, send) => paymentNote(answer, id, send);
  await callControl(run, { method: 'POST', path: '/payments', body }, { note });
}

async function paymentNote(answer: Uint8Array, id: string | undefined, send: ControlSender) {
  const { attributed_to: receiverId } = jsonOf(answer) as { readonly attributed_to: string | null };
  if (receiverId === null)
    return 'No pay-in waits for this payment: amount, currency, method, bank and payer must all match.';
  if (id === undefined) return null;
  const statusText = async (payinId: string): Promise<string> => {
    const body = await send({ method: 'GET', path: `/operations/${payinId}` }).then(jsonOf, () => null);
    const payin = body as Pick<SandboxOperation, 'operation'> | null;
    const { reference, status = 'unknown', failure } = payin?.operation ?? {};
    const referenceText = reference === undefined ? '' : ` (reference ${JSON.stringify(reference)})`;
    return `${payinId}${referenceText} is ${status}${failure ? `: ${failure.reason.replaceAll('_', ' ')}` : ''}.`;
  };
  if (receiverId === id) return `Pay-in ${await statusText(id)}`;
  return `The money went to another pay-in that waited for the same payment: ${await statusText(receiverId)} ${await statusText(id)}`;
}

const jsonOf = (answer: Uint8Array): unknown => JSON.parse(Buffer.from(answer).toString('utf8'));

export async function sendPing(run: RunWith<'company' | 'environment'>): Promise<void> {
  const { company, environment } = run.flags;
  await callControl(run, { method: 'POST', path: '/ping', body: { company, environment } }).catch(
    (error: unknown) => {
      if (
        !(error instanceof Failure) ||
        error.facts.details?.some(({ field }) => field === 'company') !== true
      )
        throw error;
      const companyText = `The company "${company ?? 'default'}"`;
      const items = [`${companyText} has no registered URL (${environment ?? 'sandbox'}).`];
      const advice = ['Register one: svc webhooks register --url URL'];
      throw new Failure(error.kind, 'The sandbox sent no ping.', { ...error.facts, items, advice });
    },
  );
}

export async function showRequests(
  run: RunWith<PageFlag | 'status', 'follow'> & WithArgs<'id'>,
): Promise<void> {
  const { flags } = run;
  const { id } = run.args;
  const { status, follow } = flags;
  if (status !== undefined && statusRange(status) === undefined)
    throw usageFailure(
      `--status cannot be ${JSON.stringify(status)}: use a status such as 404, 4xx, or cut.`,
    );
  if (id !== undefined && (!/^[1-9][0-9]{0,14}$/.test(id) || follow))
    throw usageFailure('ID must be the number of one request, and cannot go with --follow.');
  if (id !== undefined)
    return callControl(run, { method: 'GET', path: `/requests/${id}` }).catch((error: unknown) => {
      if (!(error instanceof Failure) || error.kind !== 'not_found') throw error;
      const text = `The sandbox keeps no request ${id}. See "svc sandbox requests".`;
      throw new Failure('not_found', text, error.facts);
    });
  const query = pageQuery(flags, { status });
  if (!follow) return callControl(run, { method: 'GET', path: `/requests?${query}`, list: 'requests' });
  const { followRequests } = await import('./follow-requests.js');
  await followRequests(run, flags);
}

export async function resetSandbox(run: Run): Promise<void> {
  const { forgetSandbox, openReset, resetFailure } = await import('./reset.js');
  const after: ControlSteps['after'] = (connection) => forgetSandbox(run, connection);
  const request = { method: 'POST', path: '/reset', body: {} } as const;
  await callControl(run, request, { open: openReset, after }).catch((error: unknown) => {
    throw resetFailure(error);
  });
}

export const showStatus = (run: Run): Promise<void> => callControl(run, { method: 'GET', path: '/status' });

const LIST_NAMES = { operation: 'operations', delivery: 'deliveries' } as const;

async function expandId(
  run: Run,
  kind: keyof typeof LIST_NAMES,
  name: string,
  typedId: string,
): Promise<string> {
  if (isUuid(typedId)) return typedId.toLowerCase();
  const beginning = idBeginning(typedId);
  if (beginning === null) {
    const subject = kind === 'operation' ? 'an operation' : 'a delivery';
    throw new Failure('usage', `${name} must be the id of ${subject}, or 6 or more of its first characters.`);
  }
  const listName = LIST_NAMES[kind];
  const path = `/${listName}?search=${beginning}&limit=200&order=newest`;
  const body = await withControl(run, (send) => send({ method: 'GET', path }));
  const answer = jsonOf(body) as Readonly<Record<string, { id: string }[]>>;
  const ids = (answer[listName] ?? []).map(({ id }) => id).filter((id) => id.startsWith(beginning));
  const [onlyId, secondId] = ids;
  if (onlyId === undefined)
    throw new Failure('not_found', `The sandbox has no ${kind} whose id begins with ${typedId}.`, {
      outcome: 'sent',
      nextCommand: svcLine(`sandbox ${listName}`, whereFlags(run.flags)),
    });
  if (secondId === undefined) return onlyId;
  throw new Failure('usage', `Several ids begin with ${typedId}. Nothing was sent.`, {
    code: 'id_ambiguous',
    items: ids.slice(0, 20),
    advice: ['Type more of the id.'],
  });
}
