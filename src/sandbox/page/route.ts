/** The view, the open item and the filters, stored in the address after `#`, so that back, forward, reload and shared links work. */
import { signal } from '@preact/signals';

export const VIEWS = ['operations', 'requests', 'webhooks', 'faults', 'clock', 'companies', 'new'] as const;
export type View = (typeof VIEWS)[number];

/** Filters by name, without empty ones. */
export type RouteQuery = Readonly<Record<string, string>>;

export interface PageRoute {
  readonly view: View;
  /** The id of the open item; empty if no item is open. */
  readonly id: string;
  readonly query: RouteQuery;
}

export const route = signal<PageRoute>(routeOf(location.hash));
addEventListener('hashchange', () => (route.value = routeOf(location.hash)));

/** Makes a link with the filters of `query`. Without `query` a link within the current view keeps the current filters. */
export function hrefOf(view: View, id: string | number = '', query?: RouteQuery): string {
  const filters = query ?? (route.value.view === view ? route.value.query : {});
  const text = new URLSearchParams(Object.entries(filters).filter(([, value]) => value !== '')).toString();
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${text === '' ? '' : `?${text}`}`;
}

export function go(view: View, id: string | number = ''): void {
  location.hash = hrefOf(view, id);
}

/** Changes the filters of the current view without a new history entry, because each typed letter changes them. */
export function setFilters(change: RouteQuery): void {
  const { view, id, query } = route.value;
  history.replaceState(history.state, '', hrefOf(view, id, { ...query, ...change }));
  route.value = routeOf(location.hash);
}

function routeOf(hash: string): PageRoute {
  const [, name = '', id = '', text = ''] = /^#\/([a-z]+)(?:\/([^/?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  const view = VIEWS.find((known) => known === name) ?? 'operations';
  return { view, id: decode(id), query: Object.fromEntries(new URLSearchParams(text)) };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
