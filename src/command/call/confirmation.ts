/** Asks a person before real money moves: only where one is there, and never a script, whose `--live` is its word. */
import type { EndpointId } from '../../contract/endpoints.js';
import { escapeText } from '../../output/escape.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../base.js';
import { isPersonThere } from '../line/interaction.js';
import { readAnswer } from '../line/question.js';
import type { Session } from '../session/session.js';

/** True where a person has to say yes. */
export function isConfirmed(ports: Ports, flags: GlobalFlags, { environment }: Session): boolean {
  return environment === 'live' && !flags.yes && isPersonThere(ports, { 'no-input': flags['no-input'] });
}

/**
 * Returns where the request may go out.
 * @param what the members of the request, or of the operation it is about: amount, currency, counterparty
 * @throws Failure `unsafe` where the person did not say yes; Stopped
 */
export async function confirmLive(
  ports: Ports,
  flags: GlobalFlags,
  session: Session,
  what: Readonly<Record<string, unknown>>,
  row: EndpointId,
): Promise<void> {
  if (!isConfirmed(ports, flags, session)) return;
  await ports.errors.write(`LIVE: real money.\n${summary(what)}\nDo it (${row})? Type yes: `);
  const answer = await readAnswer(ports, 'Nothing was sent.');
  if (answer?.trim().toLowerCase() === 'yes') return;
  throw new Failure('unsafe', 'It was not confirmed. Nothing was sent.', { code: 'not_confirmed' });
}

function summary(what: Readonly<Record<string, unknown>>): string {
  const names = ['id', 'method', 'amount', 'currency', 'payer', 'beneficiary', 'reference', 'status'];
  const lines = names
    .filter((name) => what[name] !== undefined && what[name] !== null)
    .map((name) => {
      const value = what[name];
      return `  ${name}: ${escapeText(typeof value === 'string' ? value : JSON.stringify(value))}`;
    });
  return lines.join('\n');
}
