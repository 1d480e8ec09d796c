/** What comes under a key that was used before: the same body, the same members in other bytes, or another body. Pure. */
import { markOfBody } from './fingerprint.js';
import { groupOf, type Repetition } from './repetition.js';
import { hasEndedBefore } from './rule.js';
import { isCreate, type RunView } from './run-view.js';
import type { SeenRequest } from './seen.js';

interface KeyedBody extends Repetition {
  readonly isSameBody: boolean;
}

/** Each body, once, that is not the one that first came with its key. A body that was refused with 400 took no key. */
export function otherBytes(view: RunView): KeyedBody[] {
  const firsts = new Map<string, SeenRequest>();
  const others = new Map<string, Uint8Array[]>();
  return view.run.requests.flatMap((again) => {
    const { route, scope, key, body } = again;
    if (!isCreate(route) || key === null) return [];
    const name = JSON.stringify([scope, key]);
    const first = firsts.get(name);
    if (first === undefined || isRefusedBefore(first, again)) {
      firsts.set(name, again);
      return [];
    }
    const isKnown = (others.get(name) ?? []).some((known) => Buffer.compare(known, body) === 0);
    if (isKnown || Buffer.compare(first.body, body) === 0) return [];
    others.set(name, [...(others.get(name) ?? []), body]);
    const isSameBody = first.route === route && markOfBody(first.body) === markOfBody(body);
    return [{ group: `${groupOf(view, first)} > ${groupOf(view, again)}`, first, again, isSameBody }];
  });
}

function isRefusedBefore(first: SeenRequest, again: SeenRequest): boolean {
  return first.told.kind === 'answer' && first.told.status === 400 && hasEndedBefore(first, again);
}
