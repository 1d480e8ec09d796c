import { gunzipSync, gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { readAsset } from '../../../src/runtime/asset.js';
import { answersIn, dial, openServer } from './wire.js';

const GZIP_MAX_BYTES = 40_000;

async function asked(line: string, headers: Readonly<Record<string, string>> = {}) {
  const { server } = await openServer({ page: readAsset });
  const { socket, ended } = dial(server.port);
  const all = { Host: `127.0.0.1:${String(server.port)}`, Connection: 'close', ...headers };
  const head = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.write(`${line} HTTP/1.1\r\n${head.join('')}\r\n`);
  const text = await ended;
  const [answer] = line.startsWith('HEAD') ? [] : answersIn(text);
  return { status: Number(/^HTTP\/1\.1 ([0-9]{3})/.exec(text)?.[1]), text, body: answer?.body ?? '' };
}

describe('the page', () => {
  it.each([
    ['/', 'text/html; charset=utf-8', 'page.html'],
    ['/?a=b', 'text/html; charset=utf-8', 'page.html'],
    ['/page.js', 'text/javascript; charset=utf-8', 'page.js'],
    ['/page.css', 'text/css; charset=utf-8', 'page.css'],
  ])('%s is %s', async (path, type, file) => {
    const { status, text, body } = await asked(`GET ${path}`);
    expect(status).toBe(200);
    expect(text).toContain(`Content-Type: ${type}\r\n`);
    expect(body).toBe(Buffer.from(readAsset(file)).toString('latin1'));
  });

  it('reaches nothing but its server, stands in no frame, and nothing of another site may load it', async () => {
    const { text } = await asked('GET /');
    const own = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'";
    const none = "form-action 'none'; frame-ancestors 'none'; base-uri 'none'";
    for (const line of [
      `Content-Security-Policy: ${own}; img-src 'self' data:; ${none}`,
      'X-Content-Type-Options: nosniff',
      'X-Frame-Options: DENY',
      'Referrer-Policy: no-referrer',
      'Cross-Origin-Resource-Policy: same-origin',
      'Cross-Origin-Opener-Policy: same-origin',
    ])
      expect(text).toContain(`${line}\r\n`);
    expect(text).not.toMatch(/Access-Control-/i);
  });

  it.each([
    ['gzip, deflate, br', 'same-origin', true],
    ['br, gzip;q=0.5', 'same-origin', true],
    ['gzip;q=0', 'same-origin', false],
    ['x-gzip', 'same-origin', false],
    ['gzip', 'none', false],
  ])('its own readings are compressed: %s, %s: %s', async (accepted, site, isCompressed) => {
    const headers = { 'Accept-Encoding': accepted, 'Sec-Fetch-Site': site };
    const { text, body } = await asked('GET /_control/operations', headers);
    expect(text.includes('Content-Encoding: gzip\r\n')).toBe(isCompressed);
    const bytes = Buffer.from(body, 'latin1');
    expect(JSON.parse(String(isCompressed ? gunzipSync(bytes) : bytes))).toMatchObject({ operations: [] });
  });

  it('has no script and no style in its document', () => {
    const html = Buffer.from(readAsset('page.html')).toString();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son[a-z]+=|\sstyle=/i);
  });

  it('is read, and nothing else', async () => {
    expect((await asked('HEAD /')).status).toBe(200);
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS']) {
      const { status, text } = await asked(`${method} /`);
      expect([method, status]).toEqual([method, 405]);
      expect(text).toContain('Allow: GET, HEAD\r\n');
    }
  });

  const pointed = ['attacker.example', '127.0.0.1.attacker.example:4010', '127.0.0.1@attacker.example'];
  it.each(pointed)('is not for a name that was pointed at this machine: %s', async (host) => {
    expect((await asked('GET /', { Host: host })).status).toBe(400);
  });

  const absent = ['/page.html', '/page.js/', '/page.css.map', '/favicon.ico', '//', '/..', '/%70age.js'];
  it.each(absent)('has no file %s', async (path) => expect((await asked(`GET ${path}`)).status).toBe(404));

  it('is not there where a server has no page', async () => {
    const { server } = await openServer();
    expect((await fetch(`http://127.0.0.1:${String(server.port)}/`)).status).toBe(404);
  });

  it('weighs no more than 40 kB, compressed', () => {
    const sizes = ['page.html', 'page.js', 'page.css'].map((name) => gzipSync(readAsset(name)).length);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(GZIP_MAX_BYTES);
  });
});
