/** `--debug`: what happens on the wire, on standard error, as it happens; each secret masked, each body in one line. */
import type { Observation } from '../../client/client.js';
import { escapeLines, escapeText } from '../../output/escape.js';
import type { Ports, Redactor } from '../../runtime/ports.js';
import type { HttpAnswer, HttpRequest } from '../../runtime/transport.js';

/** Writes each observation through the redactor; a reader of standard error that went away changes nothing. */
export function debugObserver(
  { errors, log }: Pick<Ports, 'errors' | 'log'>,
  redact: Redactor,
): (observation: Observation) => void {
  return (observation) => {
    const text = lines(observation, redact);
    const written = log === undefined ? errors.write(text) : log(text.trimEnd(), { level: 'debug' });
    written.catch(() => undefined);
  };
}

function lines(observation: Observation, redact: Redactor): string {
  switch (observation.kind) {
    case 'request':
      return debugRequest(observation.request, redact);
    case 'answer':
      return debugAnswer(observation.answer, observation.tookMs, redact);
    case 'no_answer':
      return `${escapeText(redact(`< no answer in ${observation.tookMs.toFixed(0)} ms: ${observation.error.message}`))}\n`;
    case 'wait':
      return `  next attempt in ${observation.waitMs} ms\n`;
  }
}

/** Shown with their values; of every other header only the name is. */
const SHOWN = new Set([
  'accept',
  'accept-encoding',
  'allow',
  'authorization',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'idempotency-key',
  'request-id',
  'retry-after',
  'user-agent',
  'x-request-id',
]);

/** Characters of a body that are shown. */
const BODY_MAX = 4096;

/** A request as lines, each with its line end. */
export function debugRequest(request: HttpRequest, redact: Redactor): string {
  const headers = Object.entries(request.headers);
  return render('>', { first: `${request.method} ${request.url}`, headers, body: request.body }, redact);
}

/** An answer as lines; `tookMs` is the time of the exchange in milliseconds. */
export function debugAnswer(answer: HttpAnswer, tookMs: number, redact: Redactor): string {
  const first = `${String(answer.status)} in ${tookMs.toFixed(0)} ms`;
  return render('<', { first, headers: answer.headers, body: answer.body }, redact);
}

interface Message {
  readonly first: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | null;
}

function render(mark: string, { first, headers, body }: Message, redact: Redactor): string {
  const lines = [first, ...headers.map(([name, value]) => `${name}: ${headerValue(name, value)}`)];
  if (body !== null && body.length > 0) {
    const text = redact(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
    lines.push(text.slice(0, BODY_MAX));
    if (text.length > BODY_MAX) lines.push(`(${String(text.length - BODY_MAX)} more characters)`);
  }
  // Redacted before it is escaped or cut: half a secret, or one behind escapes, would not be found.
  return lines
    .map((line) => `${mark} ${escapeLines(redact(line)).replaceAll('\n', `\n${mark} `)}\n`)
    .join('');
}

function headerValue(name: string, value: string): string {
  const known = name.toLowerCase();
  if (known === 'authorization') return value.replace(/^(\S+)\s+(svc_(?:live|test)_)?.*$/su, '$1 $2***');
  return SHOWN.has(known) ? value : '(hidden)';
}
