/** The page of a served sandbox: three files that never change while it runs, for a browser on this machine and no page of another site. */
import { CONTROL_PATH } from '../control/control.js';
import { checkHost, headerValues } from '../http/access.js';
import { methodNotAllowed } from '../http/endpoints.js';
import { refusalAnswer, type SandboxAnswer, type SandboxRequest } from '../message.js';

/** The bytes of `page.html`, `page.js` or `page.css`. */
export type ReadPage = (name: string) => Uint8Array;

const FILES: Readonly<Record<string, readonly [name: string, type: string]>> = {
  '/': ['page.html', 'text/html; charset=utf-8'],
  '/page.js': ['page.js', 'text/javascript; charset=utf-8'],
  '/page.css': ['page.css', 'text/css; charset=utf-8'],
};

/** Whatever the page is made to show, it loads and reaches nothing but this server, and stands in no frame. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "base-uri 'none'",
].join('; ');

const HEADERS: Readonly<Record<string, string>> = {
  'Content-Security-Policy': POLICY,
  'X-Content-Type-Options': 'nosniff',
  'X-Frame-Options': 'DENY',
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'Cache-Control': 'no-cache',
};

/** What the page shows is read again with every change: nobody has asked for that. */
export function isReadByPage({ method, target, headers }: SandboxRequest): boolean {
  if (method !== 'GET' || !target.startsWith(CONTROL_PATH)) return false;
  return headerValues({ headers }, 'sec-fetch-site').includes('same-origin');
}

/** Null where the request asks for no file of the page. */
export function answerPage(request: SandboxRequest, read: ReadPage): SandboxAnswer | null {
  const [path = ''] = request.target.split('?', 1);
  const file = Object.hasOwn(FILES, path) ? FILES[path] : undefined;
  if (file === undefined) return null;
  const refused = checkHost(request);
  if (refused !== null) return refusalAnswer(refused);
  if (!['GET', 'HEAD'].includes(request.method)) return refusalAnswer(methodNotAllowed(['GET', 'HEAD']));
  const [name, type] = file;
  return { status: 200, headers: { 'Content-Type': type, ...HEADERS }, body: read(name), interference: null };
}
