import { isStateUpload } from '../../../src/sandbox/control/call.js';
import { loadStateReader } from '../../../src/sandbox/control/state.js';
import type { Interference, SandboxRequest } from '../../../src/sandbox/message.js';
import type { openSandbox } from '../../../src/sandbox/sandbox.js';
import { answerComplaints, endpointAt } from '../../support/contract-check.js';
import type { Answered } from './answered.js';

export type Header = readonly [name: string, value: string];

export interface Reply {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly json: Answered;
  readonly interference: Interference | null;
}

export type Exchange = (request: SandboxRequest) => Promise<Reply>;

export function overHandle(sandbox: Pick<ReturnType<typeof openSandbox>, 'handle'>): Exchange {
  let areAnswersAltered = false;
  return async (request) => {
    if (isStateUpload(request.method, request.target)) await loadStateReader();
    const answer = sandbox.handle(request);
    areAnswersAltered ||= request.target.startsWith('/_control/faults') && request.method === 'POST';
    if (!areAnswersAltered && answer.interference === null)
      requireContract(request, answer.status, answer.body);
    return reply(answer.status, Object.entries(answer.headers), answer.body, answer.interference);
  };
}

/** Every answer must fit the published contract, unless the test has armed faults. */
function requireContract({ method, target }: SandboxRequest, status: number, body: Uint8Array): void {
  const id = endpointAt(method, target);
  if (id === null) return;
  const complaints = answerComplaints(id, status, Buffer.from(body).toString('utf8'));
  if (complaints.length > 0)
    throw new Error(`${method} ${target} ${String(status)}: ${complaints.join('; ')}`);
}

export function reply(
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
