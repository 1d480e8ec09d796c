/** One exchange as curl shows it: method, target, headers and text in; status, headers and parsed JSON out. */
import { request as httpRequest } from 'node:http';
import type { Interference, SandboxRequest } from '../../../src/sandbox/message.js';
import type { openSandbox } from '../../../src/sandbox/sandbox.js';
import { answerComplaints, endpointAt } from '../../support/contract-check.js';
import type { Answered } from './answered.js';

export type Header = readonly [name: string, value: string];

export interface Reply {
  readonly status: number;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  /** The parsed body; reading it fails the test where the body is no JSON. */
  readonly json: Answered;
  /** What an adapter would do to the connection; always null over HTTP. */
  readonly interference: Interference | null;
}

/** Carries one request to the service and brings its answer back. */
export type Exchange = (request: SandboxRequest) => Promise<Reply>;

/** Straight into the handler, with no port. */
export function overHandle(sandbox: Pick<ReturnType<typeof openSandbox>, 'handle'>): Exchange {
  let areAnswersAltered = false;
  return (request) => {
    const answer = sandbox.handle(request);
    areAnswersAltered ||= request.target.startsWith('/_control/faults') && request.method === 'POST';
    if (!areAnswersAltered && answer.interference === null)
      requireContract(request, answer.status, answer.body);
    return Promise.resolve(
      reply(answer.status, Object.entries(answer.headers), answer.body, answer.interference),
    );
  };
}

/** Over loopback HTTP. Rejects where the connection is cut. */
export function overHttp(port: number): Exchange {
  return ({ method, target, headers, body }) =>
    new Promise((resolve, reject) => {
      const flat = headers.flat();
      if (body.length > 0) flat.push('Content-Length', String(body.length));
      const outgoing = httpRequest({ host: '127.0.0.1', port, method, path: target, headers: flat });
      outgoing.on('error', reject);
      outgoing.on('response', (incoming) => {
        const chunks: Buffer[] = [];
        incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
        incoming.on('error', reject);
        incoming.on('end', () => {
          const dates = incoming.rawHeaders.filter(
            (text, at) => at % 2 === 0 && text.toLowerCase() === 'date',
          );
          if (dates.length !== 1) reject(new Error(`an answer with ${String(dates.length)} dates`));
          const pairs = Object.entries(incoming.headers).map(([name, value]): Header => [
            name,
            String(value),
          ]);
          resolve(reply(incoming.statusCode ?? 0, pairs, Buffer.concat(chunks), null));
        });
      });
      outgoing.end(body);
    });
}

/** Every answer of the suite fits what is published; where a test has armed faults, they say what they like. */
function requireContract({ method, target }: SandboxRequest, status: number, body: Uint8Array): void {
  const id = endpointAt(method, target);
  if (id === null) return;
  const complaints = answerComplaints(id, status, Buffer.from(body).toString('utf8'));
  if (complaints.length > 0)
    throw new Error(`${method} ${target} ${String(status)}: ${complaints.join('; ')}`);
}

function reply(
  status: number,
  headers: readonly Header[],
  body: Uint8Array,
  interference: Interference | null,
): Reply {
  const text = Buffer.from(body).toString('utf8');
  return {
    status,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    text,
    get json() {
      return JSON.parse(text) as Answered;
    },
    interference,
  };
}
