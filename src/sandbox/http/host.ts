/** Answers loopback hosts alone: a page of another site whose name was pointed at this machine gets nothing (DNS rebinding). */
import type { HttpRefusal } from './answer.js';
import { headerValues } from './headers.js';
import type { SandboxRequest } from '../message.js';

const LOOPBACK = /^(?:localhost|127(?:\.[0-9]{1,3}){3}|\[::1\])(?::[0-9]{1,5})?$/i;

/** Null where the request names a loopback host, once; else 400. */
export function checkHost(request: Pick<SandboxRequest, 'headers'>): HttpRefusal | null {
  const [host, ...others] = headerValues(request, 'host');
  if (host === undefined)
    return { refusal: 'field_required', details: [{ field: 'Host', code: 'required' }] };
  if (others.length === 0 && LOOPBACK.test(host)) return null;
  return { refusal: 'field_invalid', details: [{ field: 'Host', code: 'invalid' }] };
}
