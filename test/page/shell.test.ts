/** A body that is no text, in a line that a shell runs. */
import { execFileSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { curlLine } from '../../src/sandbox/page/call.js';
import { HOSTILE_WORDS } from '../support/typed.js';

const HOSTILE = [...HOSTILE_WORDS, '[1-9]{a,b}', '@/etc/passwd', '\u202e\u05d0', '=ls'];

it.each(HOSTILE)('comes out as it went in, with %j', (text) => {
  const bytes = Buffer.from(`\0\xff${text}`, 'latin1');
  const call = { method: 'POST', path: '/', base64: bytes.toString('base64') };
  const line = curlLine('http://127.0.0.1:4010', call);
  expect(execFileSync('sh', ['-c', `curl() { cat; }; ${line}`])).toEqual(bytes);
});
