/** The log of requests, newest first: the sandbox keeps a thousand, and so does the page. */
import { signal, type ReadonlySignal } from '@preact/signals';
import type { Logged } from '../log/logged.js';
import { pagePath } from './paths.js';
import { latest, read } from './server.js';

const KEPT = 1000;
const PAGE = 200;

const rows = signal<readonly Logged[] | null>(null);
export const logged: ReadonlySignal<readonly Logged[] | null> = rows;
const ask = latest<readonly Logged[]>();

/** Reads what came since it was read last; all that is kept where the log has begun anew. */
export function readRequests(): void {
  ask(
    () => newer(rows.value ?? []),
    (found) => (rows.value = found),
  );
}

async function newer(held: readonly Logged[]): Promise<readonly Logged[] | null> {
  const found: Logged[] = [];
  let before: string | number = 'newest';
  const last = held[0]?.id ?? 0;
  for (;;) {
    const page = await read(pagePath('requests', { before, limit: PAGE }));
    if (page === null) return null;
    const requests: readonly Logged[] = page.requests;
    if (found.length === 0 && (requests[0]?.id ?? 0) < last) return held.length === 0 ? [] : newer([]);
    const unknown = requests.filter(({ id }) => id > last);
    found.push(...unknown);
    const oldest = requests.at(-1);
    if (oldest === undefined || unknown.length < requests.length || requests.length < PAGE) break;
    if (found.length >= KEPT) break;
    before = oldest.id;
  }
  return [...found, ...held].slice(0, KEPT);
}
