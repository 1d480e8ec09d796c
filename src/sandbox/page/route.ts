/** Where on the page somebody is, and what a list there is narrowed down to: the part of the address behind `#`, so that back, forward, a refresh and a link sent to somebody work. */
import { signal } from '@preact/signals';

export const VIEWS = ['operations', 'requests', 'webhooks', 'faults', 'clock', 'companies', 'new'] as const;
export type View = (typeof VIEWS)[number];

/** By name; what is empty is not there. */
export type RouteQuery = Readonly<Record<string, string>>;

export interface PageRoute {
  readonly view: View;
  /** Of what is looked at closely; empty for nothing. */
  readonly id: string;
  readonly query: RouteQuery;
}

export const route = signal<PageRoute>(routeOf(location.hash));
addEventListener('hashchange', () => (route.value = routeOf(location.hash)));

/** A link into a view keeps what its list is narrowed down to, as long as one stays in it. */
export function hrefOf(view: View, id: string | number = '', query?: RouteQuery): string {
  const kept = query ?? (route.value.view === view ? route.value.query : {});
  const text = new URLSearchParams(Object.entries(kept).filter(([, value]) => value !== '')).toString();
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${text === '' ? '' : `?${text}`}`;
}

export function go(view: View, id: string | number = ''): void {
  location.hash = hrefOf(view, id);
}

/** Of the view that is shown; no step of its own on the way back, so that a letter typed is none. */
export function narrow(change: RouteQuery): void {
  const { view, id, query } = route.value;
  history.replaceState(history.state, '', hrefOf(view, id, { ...query, ...change }));
  route.value = routeOf(location.hash);
}

function routeOf(hash: string): PageRoute {
  const [, name = '', id = '', text = ''] = /^#\/([a-z]+)(?:\/([^/?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  const view = VIEWS.find((known) => known === name) ?? 'operations';
  return { view, id: decoded(id), query: Object.fromEntries(new URLSearchParams(text)) };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
