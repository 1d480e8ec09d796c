/** The whole sandbox as one document: handed out, and put in the place of what is there. */
import { isoSeconds } from '../../runtime/clock.js';
import { SCOPES } from '../../contract/access.js';
import { applyDueChanges } from '../engine/world.js';
import type * as StateReading from '../state/reading.js';
import { stateText } from '../state/writing.js';
import type { KeptState } from '../store/kept.js';
import { STATE_MAX_BYTES, TOO_LARGE, type ControlHandler } from './call.js';
import { DEFAULT_COMPANY } from './whole.js';

export const handsOutState: ControlHandler = ({ world: { store }, nowMs }) => {
  const text = stateText(store, nowMs);
  return Buffer.byteLength(text) <= STATE_MAX_BYTES ? text : { refusal: 'invalid_state', message: TOO_LARGE };
};

let reading: typeof StateReading | null = null;

/** Loads what reads a state, with zod. Handlers answer at once: a caller that hands a state to one waits for this first. */
export async function readyForState(): Promise<typeof StateReading> {
  return (reading ??= await import('../state/reading.js'));
}

/** All or nothing: what is wrong with it is found before anything is written. */
export const takesState: ControlHandler = ({ world, body }) => {
  if (reading === null) throw new Error('what reads a state is not loaded');
  const { problemLines, readState } = reading;
  const { store, random, clock, log } = world;
  const read = readState(body, () => random.uuid());
  if (read.problems !== null)
    return {
      refusal: body.length > STATE_MAX_BYTES ? 'body_invalid' : 'field_invalid',
      ...(body.length > STATE_MAX_BYTES ? { status: 413 } : {}),
      message: problemLines(read.problems).join(' '),
      details: read.problems.map(({ path }) => ({ field: path, code: 'invalid' })),
    };
  const state = withReadyKey(read.state, store.settings.lasting('ready_key'));
  if (state === null)
    return {
      ...{
        refusal: 'field_invalid',
        message:
          'A key of the state is the key of this sandbox, with another company or fewer scopes. Name it as "api_key", or leave it out.',
      },
      details: [{ field: 'api_key', code: 'invalid' }],
    };
  log.clear();
  store.kept.replace(state);
  if (state.apiKey !== null) store.settings.setLasting('ready_key', state.apiKey);
  if (state.cursorSecret !== null) store.settings.setLasting('cursor_secret', state.cursorSecret);
  store.settings.setClockOffsetMs(state.nowMs - clock.now());
  store.settings.setMovedUntilMs(state.movedUntilMs);
  applyDueChanges(world, state.nowMs);
  world.isReplaced = true;
  return JSON.stringify({
    imported: true,
    now: isoSeconds(state.nowMs),
    api_key: store.settings.lasting('ready_key'),
    ...store.counts(),
  });
};

/** A state that names no key of the ready line gets the one that the sandbox has; null where the state uses that for something else. */
function withReadyKey(state: KeptState, own: string): KeptState | null {
  if (state.apiKey !== null) return state;
  const isDefault = ({ name, environment }: { name: string; environment: string }): boolean =>
    name === DEFAULT_COMPANY && environment === 'sandbox';
  const place = state.companies.findIndex(isDefault);
  for (const [index, { keys }] of state.companies.entries())
    for (const { key, scopes } of keys)
      if (key === own) return index === place && scopes.length === SCOPES.length ? state : null;
  const key = { key: own, scopes: SCOPES, createdBy: 'company' } as const;
  const [before] = state.companies.slice(place);
  if (place === -1 || before === undefined) {
    const added = {
      environment: 'sandbox',
      name: DEFAULT_COMPANY,
      keys: [key],
      idempotency: [],
      urls: [],
    } as const;
    return { ...state, companies: [...state.companies, added], balances: [...state.balances, new Map()] };
  }
  return { ...state, companies: state.companies.with(place, { ...before, keys: [...before.keys, key] }) };
}
