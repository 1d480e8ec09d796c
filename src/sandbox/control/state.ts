/** Exports the whole sandbox as one document, and imports such a document. */
import { isoSeconds } from '../../runtime/clock.js';
import { SCOPES } from '../../contract/access.js';
import { applyDueChanges } from '../engine/world.js';
import type * as StateReading from '../state/reading.js';
import { stateText } from '../state/writing.js';
import type { StoreSnapshot } from '../store/snapshot.js';
import { STATE_MAX_BYTES, STATE_TOO_LARGE, type ControlHandler } from './call.js';
import { DEFAULT_COMPANY } from './whole.js';

export const exportState: ControlHandler = ({ world: { store }, nowMs }) => {
  const text = stateText(store, nowMs);
  return Buffer.byteLength(text) <= STATE_MAX_BYTES
    ? text
    : { refusal: 'invalid_state', message: STATE_TOO_LARGE };
};

let stateReader: typeof StateReading | null = null;

/** Loads the reader of states, with zod. Handlers are synchronous, so load the reader before you call `importState`. */
export async function loadStateReader(): Promise<typeof StateReading> {
  return (stateReader ??= await import('../state/reading.js'));
}

/** Replaces the whole state. The document is checked as a whole before anything is written. */
export const importState: ControlHandler = ({ world, body }) => {
  if (stateReader === null) throw new Error('what reads a state is not loaded');
  const { problemLines, readState } = stateReader;
  const { store, random, clock, log } = world;
  const reading = readState(body, () => random.uuid());
  if (reading.problems !== null)
    return {
      refusal: body.length > STATE_MAX_BYTES ? 'body_invalid' : 'field_invalid',
      ...(body.length > STATE_MAX_BYTES ? { status: 413 } : {}),
      message: problemLines(reading.problems).join(' '),
      details: reading.problems.map(({ path }) => ({ field: path, code: 'invalid' })),
    };
  const state = withReadyKey(reading.state, store.settings.readFixed('ready_key'));
  if (state === null)
    return {
      refusal: 'field_invalid',
      message:
        'A key of the state is the key of this sandbox, with another company or fewer scopes. Name it as "api_key", or leave it out.',
      details: [{ field: 'api_key', code: 'invalid' }],
    };
  log.clear();
  store.snapshot.replace(state);
  if (state.apiKey !== null) store.settings.setFixed('ready_key', state.apiKey);
  if (state.cursorSecret !== null) store.settings.setFixed('cursor_secret', state.cursorSecret);
  store.settings.setClockOffsetMs(state.nowMs - clock.now());
  store.settings.setMovedUntilMs(state.movedUntilMs);
  applyDueChanges(world, state.nowMs);
  world.isReplaced = true;
  return JSON.stringify({
    imported: true,
    now: isoSeconds(state.nowMs),
    api_key: store.settings.readFixed('ready_key'),
    ...store.counts(),
  });
};

/** If a state has no `api_key`, keeps `ownKey` as the key to show. Null: in the state `ownKey` belongs to another company, or has fewer scopes. */
function withReadyKey(state: StoreSnapshot, ownKey: string): StoreSnapshot | null {
  if (state.apiKey !== null) return state;
  const isDefault = ({ name, environment }: { name: string; environment: string }): boolean =>
    name === DEFAULT_COMPANY && environment === 'sandbox';
  const place = state.companies.findIndex(isDefault);
  for (const [index, { keys }] of state.companies.entries())
    for (const { key, scopes } of keys)
      if (key === ownKey) return index === place && scopes.length === SCOPES.length ? state : null;
  const key = { key: ownKey, scopes: SCOPES, createdBy: 'company' } as const;
  const [company] = state.companies.slice(place);
  if (place === -1 || company === undefined) {
    const owner = {
      environment: 'sandbox',
      name: DEFAULT_COMPANY,
      keys: [key],
      idempotency: [],
      urls: [],
    } as const;
    return { ...state, companies: [...state.companies, owner], balances: [...state.balances, new Map()] };
  }
  return { ...state, companies: state.companies.with(place, { ...company, keys: [...company.keys, key] }) };
}
