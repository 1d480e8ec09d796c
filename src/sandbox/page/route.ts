/** Where on the page somebody is: the part of the address behind `#`, so that back, forward and a bookmark work. */
import { signal } from '@preact/signals';

export const VIEWS = ['operations', 'requests', 'webhooks', 'faults', 'clock', 'companies', 'new'] as const;
export type View = (typeof VIEWS)[number];

export interface PageRoute {
  readonly view: View;
  /** Of what is looked at closely; empty for nothing. */
  readonly id: string;
}

export const route = signal<PageRoute>(routeOf(location.hash));
addEventListener('hashchange', () => (route.value = routeOf(location.hash)));

export function hrefOf(view: View, id: string | number = ''): string {
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}`;
}

export function go(view: View, id: string | number = ''): void {
  location.hash = hrefOf(view, id);
}

function routeOf(hash: string): PageRoute {
  const [, name = '', id = ''] = /^#\/([a-z]+)(?:\/([^/]*))?$/.exec(hash) ?? [];
  const view = VIEWS.find((known) => known === name) ?? 'operations';
  return { view, id: decoded(id) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
