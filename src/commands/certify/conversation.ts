/** The requests that show a broken rule, a line each: what became of it, what the command was told, and how soon the next one came. */
import type { SeenRequest, SeenRun, Told } from '../../certify/seen.js';
import { maskText } from '../../sandbox/log/sides.js';

/** @param numbers of the requests that are shown */
export function conversationLines({ requests }: SeenRun, numbers: readonly number[]): string[] {
  const shown = requests.filter(({ number }) => numbers.includes(number));
  const names = shown.map((request) => nameOf(request));
  const width = Math.max(0, ...names.map(({ length }) => length));
  return shown.map((request, at) => {
    const before = shown[at - 1];
    const parts = [before === undefined ? [] : [laterWords(before, request)], [becameOf(request)]];
    return `${(names[at] ?? '').padEnd(width)}  ${parts.flat().join(', ')}`;
  });
}

function nameOf({ number, method, target, route, key }: SeenRequest): string {
  const what = route ?? maskText(target.split('?', 1)[0] ?? '');
  return `#${String(number)} ${method} ${what}${key === null ? '' : ` key ${maskText(key)}`}`;
}

function laterWords(before: SeenRequest, { atMs }: SeenRequest): string {
  const ms = Math.round(atMs - (before.endedMs ?? atMs));
  return ms < 0 ? 'before that one ended' : `${String(ms)} ms later`;
}

function becameOf({ isCarriedOut, told }: SeenRequest): string {
  const wasDone = isCarriedOut && !isRefused(told) ? 'carried out, ' : '';
  return `${wasDone}${toldWords(told)}`;
}

function isRefused(told: Told): boolean {
  return told.kind === 'answer' && told.status >= 400 && told.status < 500;
}

function toldWords(told: Told): string {
  switch (told.kind) {
    case 'none':
      return 'no answer';
    case 'unreadable':
      return `answered ${String(told.status)} with bytes that cannot be read`;
    case 'answer': {
      const { status, code, operation, retryAfterSeconds: seconds } = told;
      const wait = seconds === null ? '' : `, Retry-After: ${String(seconds)}`;
      const said = code ?? operation?.status ?? '';
      return `answered ${String(status)}${said === '' ? '' : ` ${said}`}${wait}`;
    }
  }
}
