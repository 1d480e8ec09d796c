import { signal } from '@preact/signals';
import { queryText } from './answers.js';

export const VIEWS = [
  'operations',
  'requests',
  'webhooks',
  'faults',
  'clock',
  'companies',
  'state',
  'new',
] as const;
export type View = (typeof VIEWS)[number];

type RouteQuery = Readonly<Record<string, string>>;

export const route = signal(routeOf(location.hash));
addEventListener('hashchange', () => (route.value = routeOf(location.hash)));

export function hrefOf(view: View, id: string | number = '', query?: RouteQuery): string {
  const filters = query ?? (route.value.view === view ? route.value.query : {});
  const text = queryText(filters);
  return `#/${view}${id === '' ? '' : `/${encodeURIComponent(id)}`}${text === '' ? '' : `?${text}`}`;
}

export function go(view: View, id: string | number = ''): void {
  location.hash = hrefOf(view, id);
}

/** Makes no new history entry, because each typed letter changes the filters. */
export function setFilters(change: RouteQuery): void {
  const { view, id, query } = route.value;
  history.replaceState(history.state, '', hrefOf(view, id, { ...query, ...change }));
  route.value = routeOf(location.hash);
}

export const filterInput = (name: string) => ({
  value: route.value.query[name] ?? '',
  set: (value: string) => setFilters({ [name]: value }),
});

function routeOf(hash: string) {
  const [, name = '', id = '', text = ''] = /^#?\/?([^/?]*)(?:\/([^?]*))?(?:\?(.*))?$/s.exec(hash) ?? [];
  const view = VIEWS.find((one) => one === name);
  const query: RouteQuery = Object.fromEntries(new URLSearchParams(text));
  const unknownView = view === undefined ? decode(name) || name : '';
  return { view: view ?? 'operations', unknownView, id: decode(id), query };
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return '';
  }
}
