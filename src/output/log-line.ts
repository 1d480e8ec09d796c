/** One line of a log as a JSON object: level, time, event, attempt, milliseconds, text. Pure. */
import type { LogFacts } from '../runtime/ports.js';
import { capped } from './error.js';
import { escapeLines } from './escape.js';

/** Of what somebody else says, a log gets this much. */
const TEXT_MAX = 8000;

/**
 * The line with its end; what is not known is left out.
 * @param text with no secret in it any more
 * @param more members behind it: the error that a run ends with
 */
export function logLine(nowMs: number, text: string, facts: LogFacts, more: object = {}): string {
  const { level = 'info', eventId, attempt, ms } = facts;
  const object = {
    ...{ level, time: new Date(nowMs).toISOString() },
    ...(eventId === undefined ? {} : { event_id: capped(eventId, 200) }),
    ...(attempt === undefined ? {} : { attempt }),
    ...(ms === undefined ? {} : { ms: Math.round(ms) }),
    msg: capped(text, TEXT_MAX),
    ...more,
  };
  return `${escapeLines(JSON.stringify(object))}\n`;
}
