/** What leaves for a receiver, byte by byte. */
import { readFileSync } from 'node:fs';
import { createHmac } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { requestOf, type Parcel } from '../../../src/sandbox/delivery/parcel.js';

const BODY = '{"id":"0c9d1b2e","type":"payout.confirmed","data":{"metadata":{"ñ":1.10}}}';
const WALL_MS = 1_790_000_000_999;

function parcel(secrets: readonly string[]): Parcel {
  const delivery = {
    row: 1,
    id: 'd-1',
    company: 1,
    event_id: 'e-1',
    type: 'payout.confirmed',
    body: BODY,
    url: 'https://old.example/hooks',
    status: 'pending',
    attempts: [],
    wait: 0,
    next_attempt_at: 0,
  } as const;
  return { delivery, atMs: 0, url: 'https://new.example/hooks?a=b', secrets };
}

function signed(secret: string): string {
  return 'v1=' + createHmac('sha256', secret).update(`1790000000.${BODY}`).digest('hex');
}

describe('a parcel', () => {
  it('is a POST of the event to the url of the moment, with its headers', () => {
    const { method, url, headers, body } = requestOf(parcel(['whsec_new']), WALL_MS);
    expect({ method, url, body: Buffer.from(body!).toString('utf8') }).toEqual({
      method: 'POST',
      url: 'https://new.example/hooks?a=b',
      body: BODY,
    });
    expect(headers).toEqual({
      'content-type': 'application/json',
      'x-firma': signed('whsec_new'),
      'x-timestamp': '1790000000',
      'x-evento': 'payout.confirmed',
      'x-id-evento': 'e-1',
    });
  });

  it('is signed by each secret, the newest first, separated by one space', () => {
    const { headers } = requestOf(parcel(['whsec_new', 'whsec_old']), WALL_MS);
    expect(headers['x-firma']).toBe(`${signed('whsec_new')} ${signed('whsec_old')}`);
  });

  it('is what a stored delivery of the service looks like', () => {
    const vector = JSON.parse(readFileSync(new URL('vector.json', import.meta.url), 'utf8')) as Record<
      'secret' | 'body' | 'signature',
      string
    > & { timestamp: number };
    const { delivery } = parcel([]);
    const one = { ...parcel([vector.secret]), delivery: { ...delivery, body: vector.body } };
    expect(requestOf(one, vector.timestamp * 1000).headers['x-firma']).toBe(vector.signature);
  });
});
