export interface Control {
  readonly line: readonly string[];
  readonly breaks: string | null;
  readonly telling: readonly string[];
  readonly mayRerun?: boolean;
  readonly limitMs?: number;
}

const broken =
  (breaks: string | null) =>
  (line: string, ...telling: string[]): Control => ({ line: line.split(' '), breaks, telling });

const right = broken(null);
const sameKey = broken('must same-key');
const sameBody = broken('must same-body');
const lookFirst = broken('must look-first');

export const RIGHT: readonly Control[] = [
  right('right.mjs', 'lost-after', 'garbage', 'r409', 'declined', 'pending', 'expired', 'members'),
  right('right.py', 'lost-after:payouts', 'lost-after:payins', 'truncated', 'r404'),
  right('gives-up.mjs', 'lost', 'e502', 'members', 'silent'),
  right('twice-on-purpose.mjs', 'lost-after', 'e429'),
  right('twice-and-gives-up.mjs', 'lost-after', 'e500'),
  right('parallel.mjs', 'lost-after:', 'declined', 'r400'),
  right('all-random.mjs', 'lost-after:', 'e503'),
  right('slot.mjs', 'lost-before', 'e500'),
  right('slot.mjs 2500', 'e500', 'e502', 'garbage', 'truncated', 'r40', 'lost'),
  right('after-failed.mjs', 'declined', 'expired'),
  right('shares.mjs once', 'hooks', 'lost-after:payouts'),
  right('cancels.mjs', 'lost', 'e500:payins.cancel', 'r404:payins.cancel'),
  right('cancels-payout.mjs', 'lost', 'e503:payouts.cancel', 'r409:payouts.cancel'),
  right('cancels-late.mjs', 'lost', 'e500:payins.cancel', 'r409:payins.cancel', 'members'),
  right('impatient-payer.mjs', 'pending', 'declined', 'lost-after:'),
  right('impatient-payer.mjs 2000', 'pending'),
  right('looks-after-conflict.mjs', 'r409', 'expired', 'lost-after:payins.confirm'),
  right('queue.mjs', 'lost-after:', 'e503', 'declined'),
];

const UNSEEN = 'must says-done-failed';
export const SUITE = broken(UNSEEN)('suite.mjs', 'declined', 'lost-after:payouts', 'r409');

export const BROKEN: readonly Control[] = [
  sameKey('new-key.mjs', 'lost-after:', 'e500'),
  sameKey('outer-retry.mjs', 'lost-after'),
  sameKey('twice-new-key.mjs', 'lost-after:', 'e502'),
  sameKey('late-new-key.mjs', 'silent', 'lost-after:'),
  sameKey('conflict-new-key.mjs', 'r409', 'lost-after:'),
  sameKey('second-key.mjs', 'lost-after:', 'e500'),
  sameKey('shares.mjs', 'hooks-twice', 'hooks-late'),
  sameKey('runner.mjs', 'lost-after:', 'members'),
  { ...sameKey('key-per-process.mjs', 'rerun'), mayRerun: true },
  broken('must paid-once')('renames.mjs', 'lost-after:'),
  sameBody('stamp.mjs', 'lost-after:', 'e500'),
  sameBody('stamp.mjs seconds', 'lost-after:'),
  broken('should same-bytes')('reordered.mjs', 'lost-after:', 'garbage'),
  lookFirst('blind-confirm.mjs', 'lost-after:payins.confirm', 'lost-after:payins.create'),
  lookFirst('blind-cancel.mjs', 'lost-after:payins.cancel', 'e500:payins.cancel'),
  lookFirst('blind-cancel.mjs payout', 'lost-after:payouts.cancel', 'e500:payouts.cancel'),
  lookFirst('adapter.py', 'lost-after:payins.confirm', 'lost-after:payins.create'),
  lookFirst('resends-if-look-fails.mjs', 'lost-after-look', 'lost-after:'),
  broken('must code-once')('ignores-look.mjs', 'lost-after:payins.confirm', 'lost-before:payins.confirm'),
  broken('must no-repeat-4xx')('repeats-refused.mjs', 'r400', 'r403', 'lost-after:'),
  broken('must says-done')('says-ok.mjs', 'lost-before', 'r400', 'e503'),
  broken('should tolerant')('strict.mjs', 'members', 'lost-after:'),
  broken(UNSEEN)('takes-201.mjs', 'declined', 'lost-after:'),
  broken('should says-done-failed')('leaves-pending.mjs', 'pending', 'declined'),
  broken('should retry-after')('impatient.mjs', 'e503:payouts', 'e429', 'lost-after:'),
  { ...broken('must ends')('endless.mjs', 'declined', 'lost-after:'), limitMs: 6000 },
  { ...broken('must ends')('waits-forever.mjs', 'silent', 'lost-after:'), limitMs: 3000 },
];
