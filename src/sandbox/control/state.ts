import { isoSeconds } from '../../runtime/clock.js';
import { SCOPES } from '../../contract/access.js';
import { applyDueChanges } from '../engine/world.js';
import type * as StateReading from '../state/reading.js';
import { stateText } from '../state/writing.js';
import { STATE_MAX_BYTES, STATE_TOO_LARGE, type ControlHandler } from './call.js';
import { DEFAULT_COMPANY } from './whole.js';

export const exportState: ControlHandler = ({ world: { store }, nowMs }) => {
  const text = stateText(store, nowMs);
  return Buffer.byteLength(text) <= STATE_MAX_BYTES
    ? text
    : { refusal: 'invalid_state', message: STATE_TOO_LARGE };
};

let stateReader: typeof StateReading | null = null;

/** Call it before `importState`, which is synchronous and so cannot load zod. */
export const loadStateReader = async (): Promise<typeof StateReading> =>
  (stateReader ??= await import('../state/reading.js'));

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
  const { nowMs, movedUntilMs, apiKey, cursorSecret, tables } = reading.state;
  // If the state has no `api_key`, the sandbox keeps its own key. The state may then have this key only for company `default`, with every
  // scope.
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
  log.clear();
  store.snapshot.replace(tables);
  if (apiKey !== null) store.settings.setFixed('ready_key', apiKey);
  else if (keyRow === undefined)
    store.companies.addKey(ownKey, store.companies.ensure('sandbox', DEFAULT_COMPANY), SCOPES);
  if (cursorSecret !== null) store.settings.setFixed('cursor_secret', cursorSecret);
  store.settings.setClockOffsetMs(nowMs - clock.now());
  store.settings.setMovedUntilMs(movedUntilMs);
  applyDueChanges(world, nowMs);
  world.isReplaced = true;
  return JSON.stringify({
    imported: true,
    now: isoSeconds(nowMs),
    api_key: store.settings.readFixed('ready_key'),
    ...store.counts(),
  });
};
