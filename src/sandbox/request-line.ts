import { lineLog } from '../command/line/local-server.js';
import { ENVIRONMENT_PATH } from '../contract/access.js';
import { escapeText } from '../output/escape.js';
import { PLAIN, type Style } from '../output/style.js';
import type { Ports } from '../runtime/ports.js';
import type { ServedRequest } from './wire/http.js';
import type { Zone } from '../runtime/clock.js';

export function requestLineLog(
  { errors, clock, zone }: Pick<Ports, 'errors' | 'clock' | 'zone'>,
  style: Style = PLAIN,
): (served: ServedRequest) => void {
  const log = lineLog(errors, 'requests');
  return (served) => log(requestLine(served, { nowMs: clock.now(), zone, style }));
}

/** The query is left out, because it may hold personal data. */
export function requestLine(
  { method, target, status, tookMs }: ServedRequest,
  { nowMs, zone, style }: { readonly nowMs: number; readonly zone: Zone; readonly style: Style },
): string {
  const localIso = new Date(nowMs + zone.offsetMinutes(nowMs) * 60_000).toISOString();
  const pathname = target.split(/[?#]/, 1)[0] ?? '';
  const isSandbox = pathname.startsWith(`${ENVIRONMENT_PATH.sandbox}/`);
  const path = isSandbox ? pathname.slice(ENVIRONMENT_PATH.sandbox.length) : pathname;
  const answer = status === null ? 'cut' : String(status);
  const suffix = !isSandbox && path.startsWith('/v2/') ? ' live' : '';
  const head = escapeText(`${localIso.slice(11, 19)} ${method} ${path}`);
  const tone = status !== null && status < 400 ? style.good : style.bad;
  return `${head} ${tone(answer)} ${String(Math.round(tookMs))} ms${suffix}`;
}
