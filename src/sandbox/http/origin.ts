/** Refuses changes that a page of another site asks a browser for: control takes no key, so where a request comes from decides. */
import type { HttpRefusal } from './answer.js';
import { headerValues } from './headers.js';
import type { SandboxRequest } from '../message.js';

const SAFE_METHODS: readonly string[] = ['GET', 'HEAD', 'OPTIONS'];
/** The page of this very server, or the address bar. */
const OWN_SITES: readonly string[] = ['same-origin', 'none'];

/**
 * Null for a safe method, for a request of no browser (neither header), and for one of our own page; else 403 `foreign_origin`.
 * `Host` was checked before.
 */
export function checkOrigin(request: Pick<SandboxRequest, 'method' | 'headers'>): HttpRefusal | null {
  if (SAFE_METHODS.includes(request.method)) return null;
  const sites = headerValues(request, 'sec-fetch-site');
  const origins = headerValues(request, 'origin');
  // A browser's own word on it counts; Origin is what older browsers send.
  const isOwn =
    sites.length > 0
      ? sites.every((site) => OWN_SITES.includes(site))
      : origins.every((origin) => isHost(origin, request));
  return isOwn ? null : { refusal: 'foreign_origin' };
}

function isHost(origin: string, request: Pick<SandboxRequest, 'headers'>): boolean {
  const [host = ''] = headerValues(request, 'host');
  return origin.toLowerCase() === `http://${host.toLowerCase()}`;
}
