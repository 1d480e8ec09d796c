/** What the service says when it is asked: reachable, by TLS, at what time, with which catalog, and what the key may do. */
import { answerOf, type Attempt } from '../../contract/attempt.js';
import type { Conversation } from '../../client/client.js';
import { conclude } from '../../client/conclusion.js';
import { type Endpoint, endpoint, ENDPOINT_IDS, type EndpointId } from '../../contract/endpoints.js';
import { type Scope, SCOPES } from '../../contract/access.js';
import { LIMITS } from '../../contract/limits.js';
import type { Target } from '../../profile/target.js';
import type { Ports } from '../../runtime/ports.js';
import { catalogSource } from '../../cli/session/catalog.js';
import { hear, type Session } from '../../cli/session/session.js';
import { error, ok, warning, type Checked } from './checked.js';

/** For each scope that has one, a read that needs nothing to be known and changes nothing. */
const SCOPED = SCOPES.flatMap((scope) => ENDPOINT_IDS.find((id) => isPlainRead(endpoint(id), scope)) ?? []);
/** Enough to matter for countdowns and short-lived signatures. */
const SKEW_WARNING_MS = 30_000;

export async function checkService(session: Session, ports: Ports): Promise<Checked[]> {
  const { clock, signal } = ports;
  const startedMs = clock.monotonic();
  const asked = await session.client.call('capabilities', {}, { attemptsMax: 1, signal });
  const tookMs = Math.round(clock.monotonic() - startedMs);
  const [attempt] = asked.attempts;
  const answer = answerOf(attempt);
  if (answer === null) return [unreached(asked, attempt)];
  const reached = ok('reachable', `${session.serviceUrl} answered in ${String(tookMs)} ms`);
  const isPlain = session.target.kind === 'embedded' || session.serviceUrl.startsWith('http:');
  const tls = ok('TLS', isPlain ? 'not used on this machine' : 'the certificate is trusted');
  await hear({ session, ports });
  const skew = checkSkew(session.clock.isHeard() ? session.clock.now() : null, clock.now(), isPlain);
  if (attempt?.kind !== 'success') return [reached, tls, skew, ...afterRefusal(asked, session.target)];
  const scopes = await Promise.all(SCOPED.map((row) => checkScope(row, session, signal)));
  return [reached, tls, skew, checkCatalog(attempt, session, ports), ...scopes];
}

function isPlainRead({ retry, path, scope: needed }: Endpoint, scope: Scope): boolean {
  return retry === 'safe' && needed === scope && !path.includes('{id}');
}

function unreached(asked: Conversation, attempt: Attempt | undefined): Checked {
  const reason = attempt !== undefined && 'reason' in attempt ? attempt.reason : '';
  const text = conclude(asked).error?.message ?? 'No answer arrived.';
  // Only a person knows the file: that is no line to type.
  if (reason === 'tls')
    return error('TLS', 'network', `${text} If it has a certificate of your own, add --ca-file FILE.`);
  return error('reachable', 'network', text);
}

function afterRefusal(asked: Conversation, { provenance }: Target): Checked[] {
  const { exitCode, error: refusal } = conclude(asked);
  const text = refusal?.message ?? 'The service refused the catalog.';
  if (exitCode === 4) {
    const { key, profile } = provenance;
    return key?.source === 'profile' && profile !== null
      ? [error('key', 'no_access', text, `svc profiles set-key ${profile.value}`)]
      : [
          error(
            'key',
            'no_access',
            `${text} The key comes from ${key?.name ?? 'nowhere'}. Set another one there.`,
          ),
        ];
  }
  return [error('service', exitCode === 10 ? 'unavailable' : 'defect', text)];
}

function checkSkew(serviceMs: number | null, nowMs: number, isHere: boolean): Checked {
  if (serviceMs === null)
    return warning(
      'clock',
      'The service does not send its time. So svc does not repeat requests without an answer: a person decides.',
    );
  const skewMs = nowMs - serviceMs;
  const seconds = Math.round(Math.abs(skewMs) / 1000);
  const text = `${String(seconds)} s ${skewMs < 0 ? 'behind' : 'ahead of'} the service`;
  if (Math.abs(skewMs) < SKEW_WARNING_MS) return ok('clock', seconds < 2 ? 'agrees with the service' : text);
  // On this machine it has this machine's clock, moved on purpose, and signs its deliveries by the one that was not moved.
  if (isHere) return ok('clock', `${text.replace('service', 'sandbox')}, whose clock was moved`);
  const webhooks = seconds > LIMITS.timestampToleranceSeconds ? ': webhooks fail verification here' : '';
  return warning('clock', `This machine is ${text}${webhooks}.`, 'timedatectl set-ntp true');
}

function checkCatalog(attempt: Attempt, session: Session, ports: Ports): Checked {
  const value = attempt.kind === 'success' ? attempt.value : null;
  const { config_version: version } = (value ?? {}) as { readonly config_version?: unknown };
  const ageMs = catalogSource(session, ports).ageMs();
  const cached = ageMs === null ? 'not cached yet' : `cached ${String(Math.round(ageMs / 60_000))} min ago`;
  return ok('catalog', `version ${typeof version === 'number' ? String(version) : 'unknown'}, ${cached}`);
}

async function checkScope(row: EndpointId, session: Session, signal: AbortSignal): Promise<Checked> {
  const { scope } = endpoint(row);
  const name = `scope ${scope ?? ''}`;
  const asked = await session.client.call(row, {}, { attemptsMax: 1, signal });
  const { exitCode, error: refusal } = conclude(asked);
  if (exitCode === 0) return ok(name, 'the key has it');
  if (exitCode === 4)
    return warning(name, 'The key does not have it. If you need it, ask for a key that has it.');
  return warning(name, refusal?.message ?? 'svc could not check it.');
}
