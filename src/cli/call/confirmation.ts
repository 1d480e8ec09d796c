/** Asks a person before real money moves: only where one is there, and never a script, whose `--live` is its word. */
import type { EndpointId } from '../../contract/endpoints.js';
import { masked } from '../../contract/masked.js';
import { escapeText } from '../../output/escape.js';
import { liveTitle } from '../../output/live.js';
import type { Style } from '../../output/style.js';
import { Failure } from '../../runtime/failure.js';
import type { Ports } from '../../runtime/ports.js';
import type { GlobalFlags } from '../command.js';
import { isPersonThere } from '../line/interaction.js';
import { readAnswer } from '../line/question.js';
import { styleForErrors } from '../printing/reader.js';
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
  const style = await styleForErrors(ports, flags);
  const question = style.strong(`Do it (${row})? Type yes:`);
  await ports.errors.write(`${liveTitle(style)}\n${summary(what, style)}\n${question} `);
  const answer = await readAnswer(ports, 'Nothing was sent.');
  if (answer?.trim().toLowerCase() === 'yes') return;
  throw new Failure('unsafe', 'It was not confirmed. Nothing was sent.', { code: 'not_confirmed' });
}

function summary(what: Readonly<Record<string, unknown>>, style: Style): string {
  const names = ['id', 'method', 'amount', 'currency', 'payer', 'beneficiary', 'reference', 'status'];
  const lines = names
    .filter((name) => what[name] !== undefined && what[name] !== null)
    .map((name) => {
      const value = maskedIn(name, what[name]);
      const text = escapeText(typeof value === 'string' ? value : JSON.stringify(value));
      return `  ${name}: ${name === 'amount' || name === 'currency' ? style.strong(text) : text}`;
    });
  return lines.join('\n');
}

/** A value with what says who somebody is only by its end, as the dialogue shows it: others may see the screen. */
function maskedIn(path: string, value: unknown): unknown {
  if (typeof value === 'string') return masked(path, value);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, maskedIn(`${path}.${name}`, member)]),
  );
}
