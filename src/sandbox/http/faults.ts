/** What armed faults do to a request of their route: applied in the order in which they were armed, before authorisation. */
import { endpoint, type EndpointId } from '../../contract/endpoints.js';
import { ERROR_CODES, ERRORS, type ErrorCode } from '../../contract/errors.js';
import { jsonAnswer, refusalAnswer, type SandboxAnswer } from '../message.js';
import type { Armed, Fault, Faults } from '../store/faults.js';

/** The endpoints that ask the bank; an `outcome` waits for one of them, whatever else is called meanwhile. */
const ASKING_THE_BANK: readonly EndpointId[] = ['payins.create', 'payins.confirm', 'payouts.create'];

/** The fault that this request meets, spent; an `outcome` is spent by the bank's answer only. Null for none. */
export function meetFault(faults: Faults, route: EndpointId): Armed | null {
  const armed = faults
    .of(route)
    .find(({ fault }) => fault.kind !== 'outcome' || ASKING_THE_BANK.includes(route));
  if (armed === undefined) return null;
  if (armed.fault.kind !== 'outcome') faults.spend(armed);
  return armed;
}

/** The whole answer, where the request is not carried out at all; else null. */
export function answerInstead(fault: Fault, route: EndpointId): SandboxAnswer | null {
  if (fault.kind === 'drop-before') {
    return {
      ...refusalAnswer({ refusal: 'temporarily_unavailable' }),
      interference: { kind: 'drop-before' },
    };
  }
  if (fault.kind !== 'status') return null;
  const { status, retryAfter } = fault;
  const headers: Record<string, string> =
    retryAfter === undefined ? {} : { 'Retry-After': String(retryAfter) };
  if (status === 502 || status === 504) return gatewayPage(status, headers);
  return refusalAnswer({ refusal: codeOf(status, route), status, headers });
}

/** What a gateway says that has no answer of the service: a page of its own, without the envelope. */
function gatewayPage(status: 502 | 504, headers: Readonly<Record<string, string>>): SandboxAnswer {
  const text = status === 502 ? '502 Bad Gateway' : '504 Gateway Time-out';
  const html = `<html>\r\n<head><title>${text}</title></head>\r\n<body>\r\n<center><h1>${text}</h1></center>\r\n</body>\r\n</html>\r\n`;
  return { ...jsonAnswer(status, html), headers: { ...headers, 'Content-Type': 'text/html' } };
}

/** The answer of a request that was carried out, as the fault lets it through. */
export function spoil(answer: SandboxAnswer, { fault, remaining }: Armed, route: EndpointId): SandboxAnswer {
  if (fault.kind === 'drop-after') return { ...answer, interference: { kind: 'drop-after' } };
  if (fault.kind === 'delay') return { ...answer, interference: { kind: 'delay', delayMs: fault.delayMs } };
  if (fault.kind !== 'garbage') return answer;
  const { success } = endpoint(route);
  if (remaining % 2 === 0) {
    return jsonAnswer(success, Buffer.from(answer.body).toString('utf8').slice(0, 40));
  }
  const html = '<!DOCTYPE html>\n<html><body><h1>It works!</h1></body></html>\n';
  return { ...jsonAnswer(success, html), headers: { 'Content-Type': 'text/html; charset=utf-8' } };
}

/** The code of that status that the endpoint knows, else any of that status, else `temporarily_unavailable`; 500 has one of its own. */
function codeOf(status: number, route: EndpointId): ErrorCode | 'internal' {
  if (status === 500) return 'internal';
  const codes = ERROR_CODES.filter((code) => ERRORS[code].status === status);
  return codes.find((code) => endpoint(route).errors.includes(code)) ?? codes[0] ?? 'temporarily_unavailable';
}
