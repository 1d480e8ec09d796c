import { isoSeconds } from '../../runtime/clock.js';
import { SCOPES } from '../../contract/access.js';
import { applyDueChanges, beginEra, type SavedState, type World } from '../engine/world.js';
import type * as StateReading from '../state/reading.js';
import { stateText } from '../state/writing.js';
import { noBody, SEED_QUERY, STATE_MAX_BYTES, STATE_TOO_LARGE, withBody } from './call.js';
import type { ControlHandler } from './call.js';
import { DEFAULT_COMPANY } from '../store/companies.js';
import type { FixedSetting } from '../store/store.js';

export const exportState: ControlHandler = ({ world: { store }, nowMs }) => {
  const text = stateText(store, nowMs);
  return Buffer.byteLength(text) <= STATE_MAX_BYTES
    ? text
    : { refusal: 'invalid_state', message: STATE_TOO_LARGE };
};

let stateReader: typeof StateReading | null = null;

/** Call it before `importState`, because `importState` is synchronous and cannot load a module. */
export const loadStateReader = async (): Promise<typeof StateReading> =>
  (stateReader ??= await import('../state/reading.js'));

export const importState: ControlHandler = ({ world, body, query }) => {
  if (stateReader === null) throw new Error('what reads a state is not loaded');
  const { problemLines, readState } = stateReader;
  const { store, random } = world;
  const reading = readState(body, () => random.uuid());
  if (reading.problems !== null)
    return {
      refusal: body.length > STATE_MAX_BYTES ? 'body_invalid' : 'field_invalid',
      ...(body.length > STATE_MAX_BYTES ? { status: 413 } : {}),
      message: problemLines(reading.problems).join(' '),
      details: reading.problems.map(({ path }) => ({ field: path, code: 'invalid' })),
    };
  const { apiKey, cursorSecret, tables } = reading.state;
  const ownKey = store.settings.readFixed('ready_key');
  const keyRow = apiKey === null ? tables.keys.find(({ key }) => key === ownKey) : undefined;
  const owner = tables.companies.find((one) => one.name === DEFAULT_COMPANY && one.environment === 'sandbox');
  const isUsable = keyRow?.company === owner?.id && keyRow?.scopes.split(' ').length === SCOPES.length;
  if (keyRow !== undefined && !isUsable)
    return {
      refusal: 'field_invalid',
      message:
        'A key of the state is the key of this sandbox, with another company or fewer scopes. Name it as "api_key", or leave it out.',
      details: [{ field: 'api_key', code: 'invalid' }],
    };
  const state = {
    ...reading.state,
    apiKey: apiKey ?? ownKey,
    cursorSecret: cursorSecret ?? store.settings.readFixed('cursor_secret'),
  };
  replaceAll(world, state);
  if (query === SEED_QUERY) world.start.seed = state;
  return JSON.stringify({
    imported: true,
    now: isoSeconds(state.nowMs),
    api_key: state.apiKey,
    ...store.counts(),
  });
};

function replaceAll(world: World, { nowMs, movedUntilMs, apiKey, cursorSecret, tables }: SavedState): void {
  const { store, clock, log } = world;
  log.clear();
  store.snapshot.replace(tables);
  if (!tables['keys']?.some(({ key }) => key === apiKey))
    store.companies.addKey(apiKey, store.companies.ensure('sandbox', DEFAULT_COMPANY), SCOPES);
  store.settings.setFixed('ready_key', apiKey);
  store.settings.setFixed('cursor_secret', cursorSecret);
  store.settings.setClockOffsetMs(nowMs - clock.now());
  store.settings.setMovedUntilMs(movedUntilMs);
  beginEra(world);
  applyDueChanges(world, nowMs);
  world.isReplaced = true;
}

export const resetSandbox = withBody(noBody, ({ world }) => {
  const { clock, log, store, start } = world;
  if (start.seed !== null) replaceAll(world, start.seed);
  else {
    log.clear();
    for (const [name, text] of Object.entries(start.fixedSettings))
      store.settings.setFixed(name as FixedSetting, text);
    store.reset(store.settings.readFixed('ready_key'));
    if (start.nowMs !== null) store.settings.setClockOffsetMs(start.nowMs - clock.now());
    beginEra(world);
  }
  return JSON.stringify({ reset: true });
});
