import type { Observation } from '../client/client.js';
import { escapeLines, escapeText } from '../output/escape.js';
import type { Ports, Redactor } from '../runtime/ports.js';
import type { HttpAnswer, HttpRequest } from '../runtime/transport.js';

export function debugObserver(
  { errors, log }: Pick<Ports, 'errors' | 'log'>,
  redact: Redactor,
): (observation: Observation) => void {
  return (observation) => {
    const text = observationText(observation, redact);
    const writing = log === undefined ? errors.write(text) : log(text.trimEnd(), { level: 'debug' });
    writing.catch(() => undefined);
  };
}

function observationText(observation: Observation, redact: Redactor): string {
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

const SHOWN_HEADERS = new Set([
  ...['accept', 'accept-encoding', 'allow', 'authorization', 'content-encoding', 'content-length'],
  ...['content-type', 'date', 'idempotency-key', 'request-id', 'retry-after', 'user-agent', 'x-request-id'],
]);

const BODY_MAX = 4096;

export function debugRequest(request: HttpRequest, redact: Redactor): string {
  const headers = Object.entries(request.headers);
  return linesOf('>', { firstLine: `${request.method} ${request.url}`, headers, body: request.body }, redact);
}

export function debugAnswer(answer: HttpAnswer, tookMs: number, redact: Redactor): string {
  const firstLine = `${String(answer.status)} in ${tookMs.toFixed(0)} ms`;
  return linesOf('<', { firstLine, headers: answer.headers, body: answer.body }, redact);
}

type Message = Pick<HttpAnswer, 'headers'> & { readonly firstLine: string; readonly body: Uint8Array | null };

function linesOf(prefix: string, { firstLine, headers, body }: Message, redact: Redactor): string {
  const lines = [firstLine, ...headers.map(([name, value]) => `${name}: ${headerValue(name, value)}`)];
  if (body !== null && body.length > 0) {
    const text = redact(Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString('utf8'));
    lines.push(text.slice(0, BODY_MAX));
    if (text.length > BODY_MAX) lines.push(`(${String(text.length - BODY_MAX)} more characters)`);
  }
  // `redact` runs before the escaping, because it would not find an escaped secret.
  return lines
    .map((line) => `${prefix} ${escapeLines(redact(line)).replaceAll('\n', `\n${prefix} `)}\n`)
    .join('');
}

function headerValue(name: string, value: string): string {
  const lowerName = name.toLowerCase();
  if (lowerName === 'authorization') return value.replace(/^(\S+)\s+(svc_(?:live|test)_)?.*$/su, '$1 $2***');
  return SHOWN_HEADERS.has(lowerName) ? value : '(hidden)';
}
