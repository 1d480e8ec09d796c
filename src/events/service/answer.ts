import { isIP } from 'node:net';
import { type FollowerFacts, judge, type HealthVerdict } from './follower-state.js';

export interface HealthQuestion {
  readonly method: string;
  readonly target: string;
  readonly hosts: readonly string[];
}

export type HealthAnswer = ReturnType<typeof jsonAnswer>;

export function answerHealth(
  { method, target, hosts }: HealthQuestion,
  facts: FollowerFacts,
  maxLagMs: number,
  host: string,
): HealthAnswer {
  const [path = ''] = target.split('?', 1);
  if (!isOwnHost(hosts, host)) return refusal(400, 'Host is not an address of this machine.');
  if (path !== '/healthz' && path !== '/metrics') return refusal(404, 'The paths are /healthz and /metrics.');
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...refusal(405, 'The methods are GET and HEAD.'), headers: { ...HEADERS, Allow: 'GET, HEAD' } };
  }
  const verdict = judge(facts, maxLagMs);
  if (path === '/metrics') {
    const headers = { ...HEADERS, 'Content-Type': METRICS_TYPE };
    return { status: 200, headers, body: metricsText(facts, verdict, maxLagMs) };
  }
  return jsonAnswer(verdict.health === 'ok' ? 200 : 503, {
    status: verdict.health,
    lag_seconds: Math.round(facts.lagMs) / 1000,
    lag_events: facts.lagEvents,
    max_lag_seconds: maxLagMs / 1000,
    why: verdict.why,
  });
}

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Type': 'application/json',
  'Cache-Control': 'no-store',
  'X-Content-Type-Options': 'nosniff',
};

function jsonAnswer(status: number, value: object) {
  return { status, headers: HEADERS, body: `${JSON.stringify(value)}\n` };
}

function refusal(status: number, why: string): HealthAnswer {
  return jsonAnswer(status, { error: why });
}

/** Protects against DNS rebinding, where the name of another site points at this machine. */
function isOwnHost(hosts: readonly string[], listeningHost: string): boolean {
  const [host, ...otherHosts] = hosts;
  if (host === undefined) return true;
  if (otherHosts.length > 0) return false;
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{1,5})?$/.exec(host) ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  if (name === '') return false;
  return isIP(name) !== 0 || /^[a-z0-9_-]+$/.test(name) || name === listeningHost.toLowerCase();
}

type Metric = readonly [name: string, help: string, value: number | null];

const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

export function metricsText(facts: FollowerFacts, { health }: HealthVerdict, maxLagMs: number): string {
  const { checkpoint } = facts;
  const metrics: readonly Metric[] = [
    ['svc_healthy', '1 while /healthz answers 200, else 0.', health === 'ok' ? 1 : 0],
    ['svc_events_accepted_total', 'Events that were accepted.', facts.accepted],
    ['svc_attempts_retried_total', 'Attempts to hand over an event that was refused before.', facts.retried],
    ['svc_attempts_refused_total', 'Attempts that ended without being accepted.', facts.refused],
    [
      'svc_lag_seconds',
      'How far the newest accepted event may be behind the newest of the feed.',
      seconds(facts.lagMs),
    ],
    ['svc_lag_events', 'Events that were read but not accepted yet. There may be more.', facts.lagEvents],
    ['svc_max_lag_seconds', 'The lag from which /healthz answers 503.', seconds(maxLagMs)],
    [
      'svc_last_accepted_timestamp_seconds',
      'When an event was last accepted, on the clock of this machine.',
      seconds(facts.acceptedAtMs),
    ],
    [
      'svc_last_answer_timestamp_seconds',
      'When the service last answered a page, on the clock of this machine.',
      seconds(facts.answeredAtMs),
    ],
    [
      'svc_checkpoint_age_seconds',
      'How long something accepted has been missing in the checkpoint. 0 if nothing is.',
      seconds(checkpoint?.ageMs ?? null),
    ],
    [
      'svc_checkpoint_saved_timestamp_seconds',
      'When the checkpoint was last saved, on the clock of this machine.',
      seconds(checkpoint?.savedAtMs ?? null),
    ],
  ];
  return metrics.map(textOf).join('');
}

function textOf([name, help, value]: Metric): string {
  const kind = name.endsWith('_total') ? 'counter' : 'gauge';
  return value === null ? '' : `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${name} ${String(value)}\n`;
}

function seconds(ms: number | null): number | null {
  return ms === null ? null : Math.round(ms) / 1000;
}
