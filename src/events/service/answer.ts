/** What the health port answers: who may ask, what for, and how the run stands. Pure. */
import { isIP } from 'node:net';
import { METRICS_TYPE, metricsText } from './metrics.js';
import type { Facts } from './standing.js';
import { judge } from './verdict.js';

export interface HealthQuestion {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  /** Every value of `Host`, as sent. */
  readonly hosts: readonly string[];
}

export interface HealthAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** How the run stands, and what it is measured by. */
export interface HealthOf {
  readonly facts: Facts;
  readonly maxLagMs: number;
  /** What it listens at, as it was given. */
  readonly host: string;
}

export function answerHealth({ method, target, hosts }: HealthQuestion, of: HealthOf): HealthAnswer {
  const [path = ''] = target.split('?', 1);
  if (!isOwnHost(hosts, of.host)) return refusal(400, 'Host is not an address of this machine.');
  if (path !== '/healthz' && path !== '/metrics') return refusal(404, 'The paths are /healthz and /metrics.');
  if (method !== 'GET' && method !== 'HEAD') {
    return { ...refusal(405, 'The methods are GET and HEAD.'), headers: { ...HEADERS, Allow: 'GET, HEAD' } };
  }
  const { facts, maxLagMs } = of;
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

function jsonAnswer(status: number, value: object): HealthAnswer {
  return { status, headers: HEADERS, body: `${JSON.stringify(value)}\n` };
}

function refusal(status: number, why: string): HealthAnswer {
  return jsonAnswer(status, { error: why });
}

/**
 * A page of another site whose name was pointed at this machine gets nothing (DNS rebinding): a browser says its name here. An
 * address, a name of one word and the name that was given are nobody else's; who sends none is no browser.
 */
function isOwnHost(hosts: readonly string[], given: string): boolean {
  const [host, ...others] = hosts;
  if (host === undefined) return true;
  if (others.length > 0) return false;
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))(?::[0-9]{1,5})?$/.exec(host) ?? [];
  const name = (bracketed ?? plain).toLowerCase();
  if (name === '') return false;
  return isIP(name) !== 0 || /^[a-z0-9_-]+$/.test(name) || name === given.toLowerCase();
}
