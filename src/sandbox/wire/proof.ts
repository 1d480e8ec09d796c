/** The proof that a server is the one which announced itself beside its store: whoever listens on its port after it was killed has no secret. */
import { createHmac, timingSafeEqual } from 'node:crypto';
import type { SandboxAnswer, SandboxRequest } from '../message.js';
import { jsonAnswer, refusalAnswer } from '../http/answer.js';
import { checkHost } from '../http/access.js';

const TARGET = /^\/_control\/owner\?nonce=([0-9a-f]{64})$/;

/** What to ask, below the server's address. @param nonce 64 hexadecimal digits, never used before */
export function proofTarget(nonce: string): string {
  return `/_control/owner?nonce=${nonce}`;
}

/** HMAC-SHA256 in hexadecimal. The port is part of it, so that a listener elsewhere can't have it made by the server. */
function proofOf(secret: string, port: number, nonce: string): string {
  return createHmac('sha256', secret).update(`svc sandbox owner\n${port}\n${nonce}`).digest('hex');
}

/** Whether `text` is that proof; compared without telling how much of it is right. */
export function isProof(text: unknown, secret: string, port: number, nonce: string): boolean {
  const right = Buffer.from(proofOf(secret, port, nonce));
  const given = Buffer.from(typeof text === 'string' ? text : '');
  return given.length === right.length && timingSafeEqual(given, right);
}

/** The answer to a request for the proof, which needs no store; null for every other request. */
export function answerProof(request: SandboxRequest, secret: string, port: number): SandboxAnswer | null {
  const nonce = request.method === 'GET' ? TARGET.exec(request.target)?.[1] : undefined;
  if (nonce === undefined) return null;
  const refused = checkHost(request);
  if (refused !== null) return refusalAnswer(refused);
  return jsonAnswer(200, JSON.stringify({ proof: proofOf(secret, port, nonce) }));
}
