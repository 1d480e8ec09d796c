import { escapeText } from '../../output/escape.js';
import type { LogRow } from './logged.js';

export type RefusedRequest = Pick<LogRow, 'method' | 'path' | 'status' | 'refused' | 'fault'>;

export const isRefused = ({ status, refused }: RefusedRequest): boolean =>
  refused !== null || (status !== null && status >= 400);

const REASON_MAX_CHARACTERS = 300;

export function refusedLine({ method, path, status, refused, fault }: RefusedRequest): string {
  const reason = refused ?? (fault === null ? 'no reason is known' : `the fault "${fault}" was armed`);
  const isLong = reason.length > REASON_MAX_CHARACTERS;
  const shortReason = isLong ? `${reason.slice(0, REASON_MAX_CHARACTERS)}...` : reason;
  return escapeText(`${method} ${path} ${status === null ? 'cut' : String(status)}: ${shortReason}`);
}
