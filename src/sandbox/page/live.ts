/** Keeps up with the server: what changed, by counters that it sends as they grow, and whether it is there at all. */
import { signal } from '@preact/signals';

export type ChangeKind = 'requests' | 'operations' | 'deliveries' | 'faults' | 'clock';

/** How often each kind of thing has changed, as far as the page knows; `server` grows with every connection. */
export const changes = signal<Readonly<Record<ChangeKind | 'server', number>>>({
  ...{ requests: 0, operations: 0, deliveries: 0, faults: 0, clock: 0, server: 0 },
});

export type Link = 'connecting' | 'live' | 'lost';
export const link = signal<Link>('connecting');

const AGAIN_MS = 500;

/** A tab that nobody sees keeps no connection: a browser has six for a server. */
export function keepUp(): void {
  document.addEventListener('visibilitychange', () => {
    if (document.hidden) close();
    else open();
  });
  open();
}

let source: EventSource | null = null;
let again: ReturnType<typeof setTimeout> | undefined;

function open(): void {
  close();
  const opened = new EventSource('/_control/stream');
  source = opened;
  // What has changed is said right behind it: asked for once then, and not for each of the two.
  let isNew = false;
  opened.addEventListener('hello', () => {
    link.value = 'live';
    isNew = true;
  });
  opened.addEventListener('changed', (event: MessageEvent<string>) => {
    const server = changes.value.server + (isNew ? 1 : 0);
    isNew = false;
    changes.value = { ...changes.value, ...(JSON.parse(event.data) as Record<ChangeKind, number>), server };
  });
  opened.addEventListener('error', () => {
    link.value = 'lost';
    later();
  });
}

function later(): void {
  close();
  again = setTimeout(open, AGAIN_MS);
}

function close(): void {
  clearTimeout(again);
  source?.close();
  source = null;
}
