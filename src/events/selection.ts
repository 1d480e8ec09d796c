/** Which events a follower wants, by type and by the operation they are about. Pure. */
import { bytesOf, type FeedEvent, type Page } from './page.js';

/** Everything that is given has to hold; of several types one is enough. */
export interface Wanted {
  readonly types: readonly string[];
  /** The caller's reference of the operation. */
  readonly reference?: string | undefined;
  /** The operation's id. */
  readonly operationId?: string | undefined;
}

/** The judge of events; null where all of them are wanted, so that none has to be parsed. One that can't be read is never left out. */
export function selectionOf(wanted: Wanted): ((page: Page, event: FeedEvent) => boolean) | null {
  const { types, reference, operationId } = wanted;
  if (types.length === 0 && reference === undefined && operationId === undefined) return null;
  const id = operationId?.toLowerCase();
  return (page, event) => {
    const value = parse(bytesOf(page, event));
    if (value === null) return true;
    const data = (value['data'] ?? {}) as Record<string, unknown>;
    const isType = types.length === 0 || types.some((type) => type === value['type']);
    const isReference = reference === undefined || data['reference'] === reference;
    const isOperation =
      id === undefined || (typeof data['id'] === 'string' && data['id'].toLowerCase() === id);
    return isType && isReference && isOperation;
  };
}

function parse(bytes: Uint8Array): Record<string, unknown> | null {
  try {
    const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');
    return JSON.parse(text) as Record<string, unknown>;
  } catch {
    return null;
  }
}
