import { styleForOutput } from '../../command/line/terminal.js';
import { withoutCommand } from '../../output/error-prose.js';
import { Failure, type FailureKind } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { App } from '../../command/app.js';
import type { GlobalFlags, Run } from '../../command/command.js';
import { printerOfAnything } from '../../command/printer.js';
import { type Session, askServiceTime } from '../../session/session.js';
import { sharedStateOf, machineOptions } from '../../session/state-place.js';
import { serviceAddressOf } from '../../session/address.js';
import { isOneOf, OPEN_STATES } from '../../storage/batches/row-state.js';
import { mayOnlyRead } from '../../storage/postgres/failures.js';
import { readProxy } from '../../session/connection.js';
import { readSettings } from '../../session/settings-file.js';
import { profileOf } from '../../session/settings.js';
import type { Target } from '../../session/target.js';
import { NODE_VERSION, VERSION } from '../../runtime/version.js';
import { answerOf } from '../../contract/attempt.js';
import type { Conversation } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import { type Endpoint, endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import { SCOPES } from '../../contract/access.js';
import { LIMITS } from '../../contract/limits.js';
import { catalogSource } from '../../session/catalog.js';
import { type Check, error, ok, renderCheckUp, warning } from './view.js';
import { checkFiles } from './files.js';
import { checkGuardRails } from './guard-rails.js';
import { counted } from '../../contract/on-screen.js';

export async function examine(run: Run): Promise<void> {
  const { ports, flags } = run;
  const { env, paths, output } = ports;
  const printer = await printerOfAnything(ports, flags, 'checks');
  const results = [
    ok('node', `Node ${NODE_VERSION}`),
    ok('version', `svc ${VERSION}`),
    checkProxy(env),
    checkFiles([...new Set(Object.values(paths))]),
    ...(await checkGuardRails(ports)),
    ...(await checkSession(run)),
  ];
  // Messages are redacted, because a refusal of the service may repeat what was sent, such as a key.
  const shownChecks = results.map((one) => ({ ...one, message: ports.redact(one.message) }));
  const isTable = printer.mode === 'table';
  if (isTable) {
    await output.write(renderCheckUp(shownChecks, output.columns, await styleForOutput(ports, flags)));
  } else {
    const checks = shownChecks.map(({ check, status, message, fix }) => ({ check, status, message, fix }));
    await printer.answer(Buffer.from(JSON.stringify({ checks })));
  }
  const errors = shownChecks.filter(({ status }) => status === 'error');
  const [firstError] = errors;
  if (firstError === undefined) return;
  const namesText = errors.map(({ check }) => check).join(', ');
  const text = errors.map(({ check, message }) => `${check}: ${message}`).join(' ');
  const message = isTable ? `Problems: ${namesText}. Nothing was changed.` : `${text} Nothing was changed.`;
  throw new Failure(firstError.kind ?? 'defect', message, {
    code: 'not_well',
    nextCommand: isTable ? undefined : (firstError.fix ?? undefined),
  });
}

async function checkSession({ ports, flags, appOf }: Run): Promise<Check[]> {
  try {
    await using app = appOf(ports, { ...flags, quiet: true });
    const session = await app.session();
    const serviceChecks = await checkService(session, ports);
    const stateChecks = await orFailedCheck('state', checkShared(session, app, ports, flags));
    const isStateUsable = stateChecks.every(({ status }) => status !== 'error');
    return [
      ...targetChecks(session.target, ports),
      ...serviceChecks,
      ...stateChecks,
      await checkSecret(session, ports),
      ...(isStateUsable ? await orFailedCheck('requests', checkRequests(app)) : []),
      ...(isStateUsable ? await orFailedCheck('batches', checkBatches(app)) : []),
    ];
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    const fix = failure.facts.nextCommand ?? null;
    // "Nothing was sent." is removed, because a check-up never sends anything that could pay.
    const text = withoutCommand(failure.message.replace(/ Nothing was sent\./, ''), fix);
    return [error('settings', failure.kind, text, fix)];
  }
}

async function checkShared(session: Session, app: App, ports: Ports, flags: GlobalFlags): Promise<Check[]> {
  const choices = await app.choices();
  const sharedState = sharedStateOf(choices, ports, flags);
  if (sharedState === null) return [];
  if (choices.isNothingConfigured)
    return [ok('state', `files: ${sharedState.name} is not used for the embedded sandbox`)];
  const { healthOf } = await import('../../storage/postgres/checks.js');
  const { clock } = session;
  const clockSource = clock.isTimeProved() ? ('service' as const) : ('machine' as const);
  const options = { ...machineOptions(ports), place: sharedState.place, patienceMs: 0 };
  const health = await healthOf(options, { clockOwner: clockSource, now: () => clock.now() });
  const placeText = `${sharedState.address} (${sharedState.name}), answered in ${String(health.reachable_ms)} ms`;
  const checks = health.checks.map(({ check, status, detail, kind }) => ({
    ...{ check: `state ${check}`, status, message: detail, kind, fix: null },
  }));
  return [ok('state', placeText), ...checks];
}

function orFailedCheck(check: string, checks: Promise<Check[]>): Promise<Check[]> {
  return checks.catch((failure: unknown) => {
    if (!(failure instanceof Failure)) throw failure;
    if (mayOnlyRead(failure) && check !== 'state')
      return [warning(check, 'not checked: this user may only read the shared state')];
    return [error(check, failure.kind, failure.message, failure.facts.nextCommand ?? null)];
  });
}

async function checkSecret(session: Session, ports: Ports): Promise<Check> {
  if ((ports.env['SVC_WEBHOOK_SECRET'] ?? '') !== '') return ok('webhook secret', 'from SVC_WEBHOOK_SECRET');
  const { address, environment } = serviceAddressOf(session);
  const [{ systemStores }, { verifyingSecrets }] = await Promise.all([
    import('../../session/key-stores.js'),
    import('../../session/webhook-secrets.js'),
  ]);
  const stores = systemStores(ports.paths, ports.clock);
  const { secrets } = await verifyingSecrets(stores, address, environment, ports.clock.now());
  if (secrets.length > 0)
    return ok('webhook secret', secrets.length === 1 ? 'stored' : 'stored, with the previous one');
  return ok('webhook secret', 'none stored: "svc webhooks register" stores one');
}

async function checkRequests(app: App): Promise<Check[]> {
  const stores = await app.stores();
  const okChecks = [ok('requests', 'none without an answer')];
  if (!stores.has('journal')) return okChecks;
  await using journal = await stores.openJournal();
  const openRequests = await journal.openForDisplay();
  if (openRequests.length === 0) return okChecks;
  const bySender = Map.groupBy(openRequests, ({ lastSending }) => lastSending?.by ?? '');
  const sendersText = [...bySender].map(([by, requests]) => `${by}: ${String(requests.length)}`).join(', ');
  const where = stores.where.isShared
    ? `the machines that share this state (${sendersText})`
    : 'this machine';
  const text = `${counted(openRequests.length, 'request')} without an answer left ${where}: money may have moved.`;
  return [warning('requests', text, 'svc requests list')];
}

async function checkBatches(app: App): Promise<Check[]> {
  const okChecks = [ok('batches', 'no row with an unknown outcome')];
  const stores = await app.stores();
  if (!stores.has('batches')) return okChecks;
  await using store = await stores.openBatches();
  const tallies = await Promise.all((await store.list()).map(({ id }) => store.tally(id)));
  const rows = tallies
    .flat()
    .filter(({ state }) => isOneOf(OPEN_STATES, state))
    .reduce((sum, one) => sum + one.rows, 0);
  if (rows === 0) return okChecks;
  const text = `The outcome of ${counted(rows, 'row')} is unknown: money may have moved.`;
  return [warning('batches', text, 'svc batches list')];
}

/** Shows only the proxy's host, because its URL may hold a password. */
function checkProxy(env: Ports['env']): Check {
  try {
    const proxy = readProxy(env);
    if (proxy === null) return ok('proxy', 'none');
    const { https, except } = proxy;
    const text = `${new URL(https).host}${except === '' ? '' : `, except ${except}`}`;
    return /\/\d/.test(except)
      ? warning('proxy', `${text}. Networks (CIDR) in NO_PROXY are not understood: name hosts.`)
      : ok('proxy', text);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    return warning('proxy', failure.message, 'unset HTTPS_PROXY https_proxy');
  }
}

function targetChecks(target: Target, { paths }: Ports): Check[] {
  const { environment, profile, baseUrl, key } = target.provenance;
  const checks = [
    ok('profile', profile === null ? 'none' : `${profile.value} (${profile.name})`),
    ok('environment', `${environment.value} (${environment.name})`),
    ok('address', baseUrl === null ? 'the embedded sandbox' : `${baseUrl.value} (${baseUrl.name})`),
    ok('key', key === null ? 'not needed' : `${key.value} (${key.name})`),
  ];
  if (profile !== null) {
    const stored = profileOf(readSettings(paths), profile.value)?.keys[target.environment]?.stored;
    const keyPlace = {
      none: 'the key does not come from the profile',
      keystore: "the system's key store",
      file: 'a file that only you can read (0600)',
    }[stored ?? 'none'];
    const advice = `The live key is in ${keyPlace}. When this machine has a key store, "svc profiles set-key ${profile.value}" moves it there.`;
    const isLiveInFile = stored === 'file' && target.environment === 'live';
    checks.push(isLiveInFile ? warning('key storage', advice) : ok('key storage', keyPlace));
  }
  const notes = target.kind === 'service' ? target.notes : [];
  return [...checks, ...notes.map((note) => warning('settings', note))];
}

const SCOPE_READS = SCOPES.flatMap((keyScope) => {
  const isPlainRead = ({ retry, path, requires, scope }: Endpoint): boolean =>
    retry === 'safe' && scope === keyScope && !path.includes('{id}') && requires === undefined;
  return ENDPOINT_IDS.find((id) => isPlainRead(endpoint(id))) ?? [];
});
const SKEW_WARNING_MS = 30_000;

async function checkService(session: Session, ports: Ports): Promise<Check[]> {
  const { clock, signal } = ports;
  const startedMs = clock.monotonic();
  const conversation = await session.client.call('capabilities', {}, { attemptsMax: 1, signal });
  const tookMs = Math.round(clock.monotonic() - startedMs);
  const [attempt] = conversation.attempts;
  const answer = answerOf(attempt);
  if (answer === null) {
    const isTls = attempt !== undefined && 'reason' in attempt && attempt.reason === 'tls';
    const text = conclude(conversation).error?.message ?? 'No answer arrived.';
    return [error(isTls ? 'TLS' : 'reachable', 'network', text)];
  }
  const reachable = ok('reachable', `${session.serviceUrl} answered in ${String(tookMs)} ms`);
  const isPlain = session.target.kind === 'embedded' || session.serviceUrl.startsWith('http:');
  const tls = ok('TLS', isPlain ? 'not used on this machine' : 'the certificate is trusted');
  await askServiceTime({ session, ports });
  const skew = checkSkew(session.clock.isTimeProved() ? session.clock.now() : null, clock.now(), isPlain);
  if (attempt?.kind !== 'success')
    return [reachable, tls, skew, ...refusalChecks(conversation, session.target)];
  const scopes = await Promise.all(SCOPE_READS.map((id) => checkScope(id, session, signal)));
  const { config_version: version } = (attempt.value ?? {}) as { readonly config_version?: unknown };
  const ageMs = catalogSource(session, ports).ageMs();
  const cacheText =
    ageMs === null ? 'not cached yet' : `cached ${String(Math.round(ageMs / 60_000))} min ago`;
  const versionText = typeof version === 'number' ? String(version) : 'unknown';
  return [reachable, tls, skew, ok('catalog', `version ${versionText}, ${cacheText}`), ...scopes];
}

function refusalChecks(call: Conversation, { provenance }: Target): Check[] {
  const { exitCode, error: refusal } = conclude(call);
  const text = refusal?.message ?? 'The service refused the catalog.';
  const [attempt] = call.attempts;
  // An answer without an error body is not from the service, so it says nothing about the API key.
  if (exitCode === 4 && attempt !== undefined && 'error' in attempt && attempt.error !== null) {
    const { key, profile } = provenance;
    if (key?.source === 'profile' && profile !== null)
      return [error('key', 'no_access', text, `svc profiles set-key ${profile.value}`)];
    const advice = `The key comes from ${key?.name ?? 'nowhere'}. Set another one there.`;
    return [error('key', 'no_access', `${text} ${advice}`)];
  }
  const kinds: Readonly<Record<number, FailureKind>> = { 4: 'no_access', 10: 'unavailable' };
  return [error('service', kinds[exitCode] ?? 'defect', text)];
}

const NO_TIME_TEXT =
  'The service does not send its time. So svc does not repeat requests without an answer: a person decides.';

function checkSkew(serviceMs: number | null, nowMs: number, isOnThisMachine: boolean): Check {
  if (serviceMs === null) return warning('clock', NO_TIME_TEXT);
  const skewMs = nowMs - serviceMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const text = `${String(seconds)} s ${skewMs < 0 ? 'behind' : 'ahead of'} the service`;
  if (Math.abs(skewMs) < SKEW_WARNING_MS) return ok('clock', seconds < 2 ? 'agrees with the service' : text);
  if (isOnThisMachine) return ok('clock', `${text.replace('service', 'sandbox')}, whose clock was moved`);
  const webhooksText = seconds > LIMITS.timestampToleranceSeconds ? ': webhooks fail verification here' : '';
  return warning('clock', `This machine is ${text}${webhooksText}.`, 'timedatectl set-ntp true');
}

async function checkScope(id: EndpointId, session: Session, signal: AbortSignal): Promise<Check> {
  const { scope } = endpoint(id);
  const name = `scope ${scope ?? ''}`;
  const conversation = await session.client.call(id, {}, { attemptsMax: 1, signal });
  const { exitCode, error: refusal } = conclude(conversation);
  if (exitCode === 0) return ok(name, 'the key has it');
  if (exitCode === 4)
    return warning(name, 'The key does not have it. If you need it, ask for a key that has it.');
  return warning(name, refusal?.message ?? 'svc could not check it.');
}
