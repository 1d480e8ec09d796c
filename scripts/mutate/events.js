/** Mistakes in following the feed: at least once, in order, and never past what was accepted. */
import { inFile } from './mutant.js';

const follow = inFile('events/follow.ts', 'events/follow');
const progress = inFile('events/progress.ts', 'events/follow');
const checkpoint = inFile('events/checkpoint-text.ts', 'events/checkpoint');
const shared = inFile('events/postgres/statements.ts', 'events/shared-checkpoint');
const selection = inFile('events/follow.ts', 'events/selection');

export const events = [
  follow('the place moves before an event was accepted', [
    'let left = chosen.length;',
    'let left = chosen.length;\n      progress.turn(next);',
  ]),
  follow('an event that was accepted is handed over again', [
    'page.events.filter(({ id }) => !progress.has(id))',
    '[...page.events]',
  ]),
  progress('the hundredth event is not committed', ['this.#uncommitted >= (', 'this.#uncommitted > (']),
  progress('a cursor that comes again forgets what was accepted behind it', [
    'if (cursor === this.#cursor) return;',
    '',
  ]),
  checkpoint('a damaged checkpoint is believed', [
    "if (sum !== sumOf(content)) return { kind: 'damaged' };",
    '',
  ]),
  checkpoint('a checkpoint of a newer program is read', [
    "if (content['version'] !== CHECKPOINT_VERSION) return { kind: 'newer' };",
    '',
  ]),
  selection('an event that cannot be read is left out', [
    'if (value === null) return true;',
    'if (value === null) return false;',
  ]),
  shared('a run that was taken over moves the checkpoint', [
    'WHERE c.checkpoint = $1 AND c.holder = $2 AND (c.sequence',
    'WHERE c.checkpoint = $1 AND (c.sequence',
  ]),
  shared('two runs have one checkpoint', [
    'WHERE ${IS_FREE} OR c.holder = $5',
    'WHERE true OR c.holder = $5',
  ]),
];
