/** The view, the open item and the filters, stored in the address after `#`, so that back, forward, reload and shared links work. */
import { signal } from '@preact/signals';
import { queryText } from './answers.js';

export const VIEWS = ['operations', 'requests', 'webhooks', 'faults', 'clock', 'companies', 'new'] as const;
export type View = (typeof VIEWS)[number];

/** Filters by name, without empty ones. */
type RouteQuery = Readonly<Record<string, string>>;

/** What the address says. `id` names the open item; it is empty if no item is open. */
export const route = signal(routeOf(location.hash));
addEventListener('hashchange', () => (route.value = routeOf(location.hash)));

/** Makes a link with the filters of `query`. Default: a link within the current view keeps the current filters. */
export function hrefOf(view: View, id: string | number = '', query?: RouteQuery): string {
  const filters = query ?? (route.value.view === view ? route.value.query : {});
  const text = queryText(filters);
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

/** Makes the properties of an input that shows a filter of the current view, and sets it. */
export const filterInput = (name: string) => ({
  value: route.value.query[name] ?? '',
  set: (value: string) => setFilters({ [name]: value }),
});

function routeOf(hash: string) {
  const [, name = '', id = '', text = ''] = /^#\/([a-z]+)(?:\/([^/?]*))?(?:\?(.*))?$/.exec(hash) ?? [];
  const view = VIEWS.find((one) => one === name) ?? 'operations';
  const query: RouteQuery = Object.fromEntries(new URLSearchParams(text));
  return { view, id: decode(id), query };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
