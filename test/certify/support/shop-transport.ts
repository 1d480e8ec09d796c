import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { jsonIn } from '../../../src/contract/json.js';
import type { Clock } from '../../../src/runtime/clock.js';
import { NotAnswered, type Transport } from '../../../src/runtime/transport.js';
import { openShop, type ShopMode } from '../controls/receivers/shop.js';

export const PROBE = '#!/bin/sh\ncat "$(dirname "$0")/$SVC_OPERATION_ID" 2> /dev/null || echo none\n';

export function shopTransport(mode: ShopMode, secret: string, folder: string, clock: Clock): Transport {
  const shop = openShop(mode, secret, {
    now: () => clock.now(),
    after: (_, work) => work(),
    pause: () => Promise.resolve(),
  });
  let hasEnded = false;
  return async ({ method, headers, body }) => {
    const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value] as const);
    const bytes = Buffer.from(body ?? []);
    const request = { method, headers: Object.fromEntries(lower), body: bytes };
    const status = hasEnded ? null : await shop.take(request, () => false).catch(() => null);
    hasEnded = status === null;
    if (status === null) throw new NotAnswered('reset', true, 'the connection was cut');
    const event = jsonIn(bytes.toString()) as { readonly data?: { readonly id?: string } } | undefined;
    const id = event?.data?.id;
    if (id !== undefined && shop.state(id) !== 'shipped 0') writeFileSync(join(folder, id), shop.state(id));
    const location = status === 308 ? ([['location', '/hooks/']] as const) : [];
    return { status, headers: location, body: Buffer.alloc(0) };
  };
}
